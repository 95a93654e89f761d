// Unfused attention, second of three kernels: each row of scores becomes a row of shares.
//
// One workgroup a row. Invocation t holds columns t, t + LANES, ... in registers, at most
// COLUMNS_EACH of them, so that each score is read once; maximum and total are reduced by a tree.
//
// manifest.json lists the constants put before this text; used here: LANES, COLUMNS_EACH, SLOTS.
// workflow/fusedfacts/emulator/unfused.py repeats it, to the last bit.

override COUNT: bool = false;    // count every access to global memory
override CAUSAL: bool = false;   // a query looks only at keys up to its own

struct Launch { n: u32, first_workgroup: u32 }

@group(0) @binding(0) var<uniform> launch: Launch;
@group(0) @binding(1) var<storage, read> s_memory: array<f32>;
@group(0) @binding(2) var<storage, read_write> p_memory: array<f32>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> partial: array<f32, LANES>;

// Elements moved by this invocation.
var<private> s_loads: u32;
var<private> p_stores: u32;

fn load_s(i: u32) -> f32 {
    if COUNT { s_loads += 1u; }
    return s_memory[i];
}

fn store_p(i: u32, value: f32) {
    if COUNT { p_stores += 1u; }
    p_memory[i] = value;
}

fn report_counts(workgroup: u32) {
    atomicAdd(&counts[workgroup * SLOTS + 0u], s_loads);
    atomicAdd(&counts[workgroup * SLOTS + 1u], p_stores);
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let n = launch.n;
    let row = launch.first_workgroup + group.x;
    let width = select(n, row + 1u, CAUSAL);

    // A lane beyond the row's width holds nothing and takes no part in the sums.
    var weight: array<f32, COLUMNS_EACH>;  // scores first, then e^(score - maximum)
    for (var i = 0u; i < COLUMNS_EACH; i++) {
        let column = i * LANES + lane;
        if column < width { weight[i] = load_s(row * n + column); }
    }

    var highest = weight[0];
    for (var i = 1u; i < COLUMNS_EACH; i++) {
        if i * LANES + lane < width { highest = max(highest, weight[i]); }
    }
    partial[lane] = highest;
    for (var stride = LANES / 2u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if lane < stride && lane + stride < width {
            partial[lane] = max(partial[lane], partial[lane + stride]);
        }
    }
    workgroupBarrier();
    let maximum = partial[0];
    workgroupBarrier();  // everyone has read it before the totals overwrite it

    for (var i = 0u; i < COLUMNS_EACH; i++) {
        if i * LANES + lane < width { weight[i] = exp(weight[i] - maximum); }
    }
    var sum = weight[0];
    for (var i = 1u; i < COLUMNS_EACH; i++) {
        if i * LANES + lane < width { sum += weight[i]; }
    }
    partial[lane] = sum;
    for (var stride = LANES / 2u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if lane < stride && lane + stride < width {
            partial[lane] += partial[lane + stride];
        }
    }
    workgroupBarrier();
    let total = partial[0];

    for (var i = 0u; i < COLUMNS_EACH; i++) {
        let column = i * LANES + lane;
        if column < width { store_p(row * n + column, weight[i] / total); }
    }
    if COUNT { report_counts(row); }
}
