// Fused attention laid out for a GPU: fused.wgsl with 256 busy invocations at every head size.
//
// GROUP invocations share a query row. Each scores every GROUP-th key of the tile and owns
// two four-number chunks of the row's output; weights are exchanged through workgroup memory.
// The order of every sum is that of fused.wgsl with smaller key tiles, which make room for them.
//
// manifest.json lists the constants put before this text; used here: D, C, BR, BC, LANES, SLOTS, SCALE.

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

const GROUP = LANES / BR;                       // invocations that share a row
const KEYS_EACH = (BC + GROUP - 1u) / GROUP;    // keys of a tile that each of them scores
const CHUNKS_EACH = C / GROUP;                  // output chunks that each of them owns: two

// Rows of C four-number chunks; rows of BC weights.
var<workgroup> q_tile: array<vec4<f32>, BR * C>;
var<workgroup> k_tile: array<vec4<f32>, BC * C>;
var<workgroup> v_tile: array<vec4<f32>, BC * C>;
var<workgroup> weight_tile: array<f32, BR * BC>;

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
    let r = lane / GROUP;
    let member = lane % GROUP;
    let row = first + r;

    for (var step = 0u; step < BR * C / LANES; step++) {
        let i = step * LANES + lane;
        if i < rows * C { q_tile[i] = load_q(first * C + i) * SCALE; }
    }

    var maximum = 0.0;
    var total = 0.0;
    var mixed: array<vec4<f32>, CHUNKS_EACH>;

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

        let seen = select(0u, keys_seen(row, first_key, keys), r < rows);
        var score = array<f32, KEYS_EACH>();
        for (var c = 0u; c < C; c++) {
            let q = q_tile[r * C + c];
            for (var step = 0u; step < KEYS_EACH; step++) {
                let j = step * GROUP + member;
                if j < seen { score[step] += chunk_product(q, k_tile[j * C + c]); }
            }
        }
        for (var step = 0u; step < KEYS_EACH; step++) {
            let j = step * GROUP + member;
            if j < seen { weight_tile[r * BC + j] = score[step]; }
        }
        workgroupBarrier();  // the row's scores are complete

        let first_score = weight_tile[r * BC];
        let old = select(maximum, first_score, first_key == 0u);
        if seen > 0u { maximum = max(old, first_score); }
        for (var j = 1u; j < BC; j++) {
            if j < seen { maximum = max(maximum, weight_tile[r * BC + j]); }
        }
        workgroupBarrier();  // everyone has read the scores before weights replace them

        for (var step = 0u; step < KEYS_EACH; step++) {
            let j = step * GROUP + member;
            if j < seen { weight_tile[r * BC + j] = exp(weight_tile[r * BC + j] - maximum); }
        }
        workgroupBarrier();  // the row's weights are complete

        if seen > 0u {
            let factor = exp(select(old - maximum, 0.0, first_key == 0u));
            var tile_total = weight_tile[r * BC];
            for (var j = 1u; j < BC; j++) {
                if j < seen { tile_total += weight_tile[r * BC + j]; }
            }
            let kept = select(total, total * factor, RESCALE);
            total = kept + tile_total;

            var tile_mixed = array<vec4<f32>, CHUNKS_EACH>();
            for (var step = 0u; step < CHUNKS_EACH; step++) {
                tile_mixed[step] = weight_tile[r * BC] * v_tile[step * GROUP + member];
            }
            for (var j = 1u; j < BC; j++) {
                if j < seen {
                    let weight = weight_tile[r * BC + j];
                    for (var step = 0u; step < CHUNKS_EACH; step++) {
                        tile_mixed[step] += weight * v_tile[j * C + step * GROUP + member];
                    }
                }
            }
            for (var step = 0u; step < CHUNKS_EACH; step++) {
                mixed[step] = mixed[step] * factor + tile_mixed[step];
            }
        }
    }

    if r < rows {
        for (var step = 0u; step < CHUNKS_EACH; step++) {
            store_o(row * C + step * GROUP + member, mixed[step] / total);
        }
    }
    if COUNT { report_counts(workgroup); }
}
