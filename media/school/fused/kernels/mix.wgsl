// Unfused attention, third of three kernels: each word's answer is the values mixed by its shares.
//
// A workgroup takes a tile of BR rows of shares and walks tiles of BC values past it. An
// invocation owns one four-number chunk of the output in every (LANES / C)-th row.
//
// manifest.json lists the constants put before this text; used here: D, C, BR, BC, LANES, SLOTS.
// workflow/fusedfacts/emulator/unfused.py repeats it, to the last bit.

override COUNT: bool = false;    // count every access to global memory
override CAUSAL: bool = false;   // a query looks only at keys up to its own

struct Launch { n: u32, first_workgroup: u32 }

@group(0) @binding(0) var<uniform> launch: Launch;
@group(0) @binding(1) var<storage, read> p_memory: array<f32>;
@group(0) @binding(2) var<storage, read> v_memory: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o_memory: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;

const ROW_STEP = LANES / C;
const ROWS_EACH = BR / ROW_STEP;

var<workgroup> p_tile: array<f32, BR * BC>;
var<workgroup> v_tile: array<vec4<f32>, BC * C>;

// Elements moved by this invocation.
var<private> p_loads: u32;
var<private> v_loads: u32;
var<private> o_stores: u32;

fn load_p(i: u32) -> f32 {
    if COUNT { p_loads += 1u; }
    return p_memory[i];
}

fn load_v(i: u32) -> vec4<f32> {
    if COUNT { v_loads += 4u; }
    return v_memory[i];
}

fn store_o(i: u32, value: vec4<f32>) {
    if COUNT { o_stores += 4u; }
    o_memory[i] = value;
}

fn report_counts(workgroup: u32) {
    atomicAdd(&counts[workgroup * SLOTS + 0u], p_loads);
    atomicAdd(&counts[workgroup * SLOTS + 1u], v_loads);
    atomicAdd(&counts[workgroup * SLOTS + 2u], o_stores);
}

// How many of a tile's keys a row looks at.
fn keys_seen(row: u32, first_key: u32, keys: u32) -> u32 {
    if CAUSAL { return min(keys, max(row + 1u, first_key) - first_key); }
    return keys;
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
    let c = lane % C;
    let first_row = lane / C;

    var mixed: array<vec4<f32>, ROWS_EACH>;

    // Causal: value tiles beyond the query tile's last row are never fetched.
    let end = select(n, first + rows, CAUSAL);
    for (var first_key = 0u; first_key < end; first_key += BC) {
        let keys = min(BC, end - first_key);
        workgroupBarrier();  // nobody still reads the last tiles
        for (var step = 0u; step < BR * BC / LANES; step++) {
            let i = step * LANES + lane;
            let r = i / BC;
            let j = i % BC;
            if r < rows && j < keys_seen(first + r, first_key, keys) {
                p_tile[i] = load_p((first + r) * n + first_key + j);
            }
        }
        for (var step = 0u; step < (BC * C + LANES - 1u) / LANES; step++) {
            let i = step * LANES + lane;
            if i < keys * C { v_tile[i] = load_v(first_key * C + i); }
        }
        workgroupBarrier();

        // All its rows at once: a chunk of a value is read once for all of them.
        var tile_mixed = array<vec4<f32>, ROWS_EACH>();
        for (var j = 0u; j < BC; j++) {
            let v = v_tile[j * C + c];
            for (var step = 0u; step < ROWS_EACH; step++) {
                let r = first_row + step * ROW_STEP;
                if r < rows && j < keys_seen(first + r, first_key, keys) {
                    let product = p_tile[r * BC + j] * v;
                    if j == 0u { tile_mixed[step] = product; } else { tile_mixed[step] += product; }
                }
            }
        }
        for (var step = 0u; step < ROWS_EACH; step++) {
            let r = first_row + step * ROW_STEP;
            if r < rows && keys_seen(first + r, first_key, keys) > 0u {
                mixed[step] += tile_mixed[step];
            }
        }
    }

    for (var step = 0u; step < ROWS_EACH; step++) {
        let r = first_row + step * ROW_STEP;
        if r < rows { store_o((first + r) * C + c, mixed[step]); }
    }
    if COUNT { report_counts(workgroup); }
}
