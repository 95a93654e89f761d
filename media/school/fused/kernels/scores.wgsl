// Unfused attention, first of three kernels: every score, written to the table in global memory.
//
// A workgroup takes a tile of BR query rows and walks tiles of BC keys past it. An invocation
// owns one key of the tile and every (LANES / BC)-th row, so that neighbours write neighbouring
// entries of the table.
//
// manifest.json lists the constants put before this text; used here: D, C, BR, BC, LANES, SLOTS, SCALE.
// workflow/fusedfacts/emulator/unfused.py repeats it, to the last bit.

override COUNT: bool = false;    // count every access to global memory
override CAUSAL: bool = false;   // a query looks only at keys up to its own

struct Launch { n: u32, first_workgroup: u32 }

@group(0) @binding(0) var<uniform> launch: Launch;
@group(0) @binding(1) var<storage, read> q_memory: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> k_memory: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> s_memory: array<f32>;
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;

const ROW_STEP = LANES / BC;
const ROWS_EACH = BR / ROW_STEP;

// Rows of C four-number chunks.
var<workgroup> q_tile: array<vec4<f32>, BR * C>;
var<workgroup> k_tile: array<vec4<f32>, BC * C>;

// Elements moved by this invocation.
var<private> q_loads: u32;
var<private> k_loads: u32;
var<private> s_stores: u32;

fn load_q(i: u32) -> vec4<f32> {
    if COUNT { q_loads += 4u; }
    return q_memory[i];
}

fn load_k(i: u32) -> vec4<f32> {
    if COUNT { k_loads += 4u; }
    return k_memory[i];
}

fn store_s(i: u32, value: f32) {
    if COUNT { s_stores += 1u; }
    s_memory[i] = value;
}

fn report_counts(workgroup: u32) {
    atomicAdd(&counts[workgroup * SLOTS + 0u], q_loads);
    atomicAdd(&counts[workgroup * SLOTS + 1u], k_loads);
    atomicAdd(&counts[workgroup * SLOTS + 2u], s_stores);
}

// Not dot(): it promises no order, and the order is part of the answer's last bits.
fn chunk_product(a: vec4<f32>, b: vec4<f32>) -> f32 {
    return ((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w;
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let n = launch.n;
    let workgroup = launch.first_workgroup + group.x;
    let first = workgroup * BR;
    let rows = min(BR, n - first);

    for (var step = 0u; step < BR * C / LANES; step++) {
        let i = step * LANES + lane;
        if i < rows * C { q_tile[i] = load_q(first * C + i) * SCALE; }
    }

    let j = lane % BC;
    let first_row = lane / BC;
    // Causal: key tiles beyond the query tile's last row are never fetched.
    let end = select(n, first + rows, CAUSAL);
    for (var first_key = 0u; first_key < end; first_key += BC) {
        let keys = min(BC, end - first_key);
        workgroupBarrier();  // nobody still reads the last tile
        for (var step = 0u; step < (BC * C + LANES - 1u) / LANES; step++) {
            let i = step * LANES + lane;
            if i < keys * C { k_tile[i] = load_k(first_key * C + i); }
        }
        workgroupBarrier();

        if j < keys {
            let key = first_key + j;
            // All its rows at once: a chunk of the key is read once for all of them.
            var score = array<f32, ROWS_EACH>();
            for (var c = 0u; c < C; c++) {
                let k = k_tile[j * C + c];
                for (var step = 0u; step < ROWS_EACH; step++) {
                    let r = first_row + step * ROW_STEP;
                    score[step] += chunk_product(q_tile[r * C + c], k);
                }
            }
            for (var step = 0u; step < ROWS_EACH; step++) {
                let r = first_row + step * ROW_STEP;
                if r < rows && (!CAUSAL || key <= first + r) {
                    store_s((first + r) * n + key, score[step]);
                }
            }
        }
    }
    if COUNT { report_counts(workgroup); }
}
