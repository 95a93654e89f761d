// Algorithm 1 of FlashAttention (arXiv:2205.14135): fused.wgsl with its loops exchanged.
//
// A workgroup takes a tile of BC keys and values and walks tiles of BR query rows past it, one
// invocation a row. What a row has so far, its maximum m, its total l and its answer o, lies in
// global memory: it is loaded and stored once for each key tile, and the answer is a whole one each
// time, divided by the total so far. So a launch is one workgroup after another, a dispatch each;
// kv_start.wgsl goes before them.
//
// manifest.json lists the constants put before this text; used here: D, C, BR, BC, LANES, SLOTS, SCALE.
// workflow/fusedfacts/emulator/kv_outer.py repeats it, to the last bit.

override COUNT: bool = false;    // count every access to global memory
override CAUSAL: bool = false;   // a query looks only at keys up to its own
override RESCALE: bool = true;   // false: the total is not shrunk, the broken control

struct Launch { n: u32, first_workgroup: u32 }

@group(0) @binding(0) var<uniform> launch: Launch;
@group(0) @binding(1) var<storage, read> q_memory: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> k_memory: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> v_memory: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> o_memory: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> m_memory: array<f32>;
@group(0) @binding(6) var<storage, read_write> l_memory: array<f32>;
@group(0) @binding(7) var<storage, read_write> counts: array<atomic<u32>>;

const FOURS = (BC + 3u) / 4u;  // keys are taken four at a time

// Rows of C four-number chunks.
var<workgroup> q_tile: array<vec4<f32>, BR * C>;
var<workgroup> k_tile: array<vec4<f32>, BC * C>;
var<workgroup> v_tile: array<vec4<f32>, BC * C>;

// Elements moved by this invocation.
var<private> q_loads: u32;
var<private> k_loads: u32;
var<private> v_loads: u32;
var<private> o_loads: u32;
var<private> o_stores: u32;
var<private> m_loads: u32;
var<private> m_stores: u32;
var<private> l_loads: u32;
var<private> l_stores: u32;

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

fn load_o(i: u32) -> vec4<f32> {
    if COUNT { o_loads += 4u; }
    return o_memory[i];
}

fn store_o(i: u32, value: vec4<f32>) {
    if COUNT { o_stores += 4u; }
    o_memory[i] = value;
}

fn load_m(i: u32) -> f32 {
    if COUNT { m_loads += 1u; }
    return m_memory[i];
}

fn store_m(i: u32, value: f32) {
    if COUNT { m_stores += 1u; }
    m_memory[i] = value;
}

fn load_l(i: u32) -> f32 {
    if COUNT { l_loads += 1u; }
    return l_memory[i];
}

fn store_l(i: u32, value: f32) {
    if COUNT { l_stores += 1u; }
    l_memory[i] = value;
}

fn report_counts(workgroup: u32) {
    atomicAdd(&counts[workgroup * SLOTS + 0u], q_loads);
    atomicAdd(&counts[workgroup * SLOTS + 1u], k_loads);
    atomicAdd(&counts[workgroup * SLOTS + 2u], v_loads);
    atomicAdd(&counts[workgroup * SLOTS + 3u], o_loads);
    atomicAdd(&counts[workgroup * SLOTS + 4u], o_stores);
    atomicAdd(&counts[workgroup * SLOTS + 5u], m_loads);
    atomicAdd(&counts[workgroup * SLOTS + 6u], m_stores);
    atomicAdd(&counts[workgroup * SLOTS + 7u], l_loads);
    atomicAdd(&counts[workgroup * SLOTS + 8u], l_stores);
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
    let first_key = workgroup * BC;
    let keys = min(BC, n - first_key);

    for (var step = 0u; step < (BC * C + LANES - 1u) / LANES; step++) {
        let i = step * LANES + lane;
        if i < keys * C {
            k_tile[i] = load_k(first_key * C + i);
            v_tile[i] = load_v(first_key * C + i);
        }
    }

    // Causal: rows before the first key see nothing of the tile, and the query tiles begin there.
    for (var first = select(0u, first_key, CAUSAL); first < n; first += BR) {
        let rows = min(BR, n - first);
        let row = first + lane;
        workgroupBarrier();  // nobody still reads the last tile
        for (var step = 0u; step < BR * C / LANES; step++) {
            let i = step * LANES + lane;
            if i < rows * C { q_tile[i] = load_q(first * C + i) * SCALE; }
        }
        workgroupBarrier();

        if lane < rows {
            let seen = keys_seen(row, first_key, keys);
            // Of this tile alone: scores first, then e^(score - the tile's own maximum).
            var weight = array<vec4<f32>, FOURS>();
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
            var tile_maximum = weight[0].x;
            for (var i = 0u; i < FOURS; i++) {
                let four = select(vec4<f32>(tile_maximum), weight[i], seen_of_four(4u * i, seen));
                tile_maximum = max(tile_maximum, max(max(four.x, four.y), max(four.z, four.w)));
            }
            for (var i = 0u; i < FOURS; i++) {
                let exponent = weight[i] - tile_maximum;
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

            // The first tile seeds the maximum: no sentinel stands in for minus infinity.
            let old_maximum = select(load_m(row), tile_maximum, first_key == 0u);
            let maximum = max(old_maximum, tile_maximum);
            let factor = exp(old_maximum - maximum);
            let tile_factor = exp(tile_maximum - maximum);
            let old_total = load_l(row);
            let shrunk = old_total * factor;
            let total = select(old_total, shrunk, RESCALE) + tile_total * tile_factor;

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
                let mixed = shrunk * load_o(row * C + c) + tile_factor * tile_mixed;
                store_o(row * C + c, mixed / total);
            }
            store_m(row, maximum);
            store_l(row, total);
        }
    }
    if COUNT { report_counts(workgroup); }
}
