// Fused attention: scores, shares and mixing in one trip. The n x n table is never written.
//
// A workgroup takes a tile of BR query rows, one invocation a row, and walks tiles of BC keys and
// values past it. Each row keeps a running maximum, a running total and a running output; when
// a larger score comes, total and output shrink to match. Only finished answers are written.
//
// manifest.json lists the constants put before this text; used here: D, C, BR, BC, LANES, SLOTS, SCALE.
// workflow/fusedfacts/emulator/fused.py repeats it line by line, to the last bit.

override COUNT: bool = false;    // count every access to global memory
override CAUSAL: bool = false;   // a query looks only at keys up to its own
override RESCALE: bool = true;   // false: the total is not shrunk, the broken control

struct Launch { n: u32, first_workgroup: u32 }

@group(0) @binding(0) var<uniform> launch: Launch;
@group(0) @binding(1) var<storage, read> q_memory: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> k_memory: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> v_memory: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> o_memory: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>;

const FOURS = (BC + 3u) / 4u;  // keys are taken four at a time

// Rows of C four-number chunks.
var<workgroup> q_tile: array<vec4<f32>, BR * C>;
var<workgroup> k_tile: array<vec4<f32>, BC * C>;
var<workgroup> v_tile: array<vec4<f32>, BC * C>;

// Elements moved by this invocation.
var<private> q_loads: u32;
var<private> k_loads: u32;
var<private> v_loads: u32;
var<private> o_stores: u32;

fn load_q(i: u32) -> vec4<f32> {
    if COUNT { q_loads += 4u; }
    return q_memory[i];
}

fn load_k(i: u32) -> vec4<f32> {
    if COUNT { k_loads += 4u; }
    return k_memory[i];
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
    atomicAdd(&counts[workgroup * SLOTS + 0u], q_loads);
    atomicAdd(&counts[workgroup * SLOTS + 1u], k_loads);
    atomicAdd(&counts[workgroup * SLOTS + 2u], v_loads);
    atomicAdd(&counts[workgroup * SLOTS + 3u], o_stores);
}

// How many of a tile's keys a row looks at.
fn keys_seen(row: u32, first_key: u32, keys: u32) -> u32 {
    if CAUSAL { return min(keys, max(row + 1u, first_key) - first_key); }
    return keys;
}

// Which of four keys from j on a row looks at.
fn seen_of_four(j: u32, seen: u32) -> vec4<bool> {
    return vec4<u32>(j, j + 1u, j + 2u, j + 3u) < vec4<u32>(seen);
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
    let row = first + lane;

    // Scaled here, before any sum, so that no compiler can fuse the scale into the softmax.
    for (var step = 0u; step < BR * C / LANES; step++) {
        let i = step * LANES + lane;
        if i < rows * C { q_tile[i] = load_q(first * C + i) * SCALE; }
    }

    var maximum = 0.0;
    var total = 0.0;
    var mixed: array<vec4<f32>, C>;
    var weight: array<vec4<f32>, FOURS>;  // of one tile: scores first, then e^(score - maximum)

    // Causal: key tiles beyond the query tile's last row are never fetched.
    let end = select(n, first + rows, CAUSAL);
    for (var first_key = 0u; first_key < end; first_key += BC) {
        let keys = min(BC, end - first_key);
        workgroupBarrier();  // nobody still reads the last tiles
        for (var step = 0u; step < (BC * C + LANES - 1u) / LANES; step++) {
            let i = step * LANES + lane;
            if i < keys * C {
                k_tile[i] = load_k(first_key * C + i);
                v_tile[i] = load_v(first_key * C + i);
            }
        }
        workgroupBarrier();

        let seen = keys_seen(row, first_key, keys);
        if lane < rows && seen > 0u {
            // All scores at once: a chunk of the query is read once for all keys.
            weight = array<vec4<f32>, FOURS>();
            for (var c = 0u; c < C; c++) {
                let q = q_tile[lane * C + c];
                for (var i = 0u; i < FOURS; i++) {
                    let j = 4u * i;
                    var four = weight[i];
                    if j < seen { four.x += chunk_product(q, k_tile[j * C + c]); }
                    if j + 1u < seen { four.y += chunk_product(q, k_tile[(j + 1u) * C + c]); }
                    if j + 2u < seen { four.z += chunk_product(q, k_tile[(j + 2u) * C + c]); }
                    if j + 3u < seen { four.w += chunk_product(q, k_tile[(j + 3u) * C + c]); }
                    weight[i] = four;
                }
            }

            // The first tile seeds the maximum: no sentinel stands in for minus infinity.
            let old = select(maximum, weight[0].x, first_key == 0u);
            maximum = old;
            for (var i = 0u; i < FOURS; i++) {
                let four = select(vec4<f32>(maximum), weight[i], seen_of_four(4u * i, seen));
                maximum = max(maximum, max(max(four.x, four.y), max(four.z, four.w)));
            }
            let factor = exp(select(old - maximum, 0.0, first_key == 0u));
            for (var i = 0u; i < FOURS; i++) {
                let exponent = weight[i] - maximum;
                weight[i] = exp(select(vec4<f32>(), exponent, seen_of_four(4u * i, seen)));
            }

            var tile_total = weight[0].x;
            for (var i = 0u; i < FOURS; i++) {
                let j = 4u * i;
                let four = weight[i];
                if j > 0u && j < seen { tile_total += four.x; }
                if j + 1u < seen { tile_total += four.y; }
                if j + 2u < seen { tile_total += four.z; }
                if j + 3u < seen { tile_total += four.w; }
            }
            let kept = select(total, total * factor, RESCALE);
            total = kept + tile_total;

            for (var c = 0u; c < C; c++) {
                var tile_mixed = weight[0].x * v_tile[c];
                for (var i = 0u; i < FOURS; i++) {
                    let j = 4u * i;
                    let four = weight[i];
                    if j > 0u && j < seen { tile_mixed += four.x * v_tile[j * C + c]; }
                    if j + 1u < seen { tile_mixed += four.y * v_tile[(j + 1u) * C + c]; }
                    if j + 2u < seen { tile_mixed += four.z * v_tile[(j + 2u) * C + c]; }
                    if j + 3u < seen { tile_mixed += four.w * v_tile[(j + 3u) * C + c]; }
                }
                mixed[c] = mixed[c] * factor + tile_mixed;
            }
        }
    }

    if lane < rows {
        for (var c = 0u; c < C; c++) {
            store_o(row * C + c, mixed[c] / total);
        }
    }
    if COUNT { report_counts(workgroup); }
}
