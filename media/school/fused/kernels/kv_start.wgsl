// Algorithm 1 of FlashAttention (arXiv:2205.14135), its second line: the values that
// kv_outer.wgsl begins with, stored in global memory as it stores all others.
//
// A workgroup takes a tile of BR rows, one invocation a row: no answer, no maximum, no total.
//
// manifest.json lists the constants put before this text; used here: C, BR, LANES, SLOTS.
// workflow/fusedfacts/emulator/kv_outer.py repeats it, to the last bit.

override COUNT: bool = false;    // count every access to global memory

struct Launch { n: u32, first_workgroup: u32 }

@group(0) @binding(0) var<uniform> launch: Launch;
@group(0) @binding(1) var<storage, read_write> o_memory: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> m_memory: array<f32>;
@group(0) @binding(3) var<storage, read_write> l_memory: array<f32>;
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;

// In place of minus infinity, which WGSL cannot name. No sum depends on it.
const LOWEST = -0x1.fffffep+127f;

// Elements moved by this invocation.
var<private> o_stores: u32;
var<private> m_stores: u32;
var<private> l_stores: u32;

fn store_o(i: u32, value: vec4<f32>) {
    if COUNT { o_stores += 4u; }
    o_memory[i] = value;
}

fn store_m(i: u32, value: f32) {
    if COUNT { m_stores += 1u; }
    m_memory[i] = value;
}

fn store_l(i: u32, value: f32) {
    if COUNT { l_stores += 1u; }
    l_memory[i] = value;
}

fn report_counts(workgroup: u32) {
    atomicAdd(&counts[workgroup * SLOTS + 0u], o_stores);
    atomicAdd(&counts[workgroup * SLOTS + 1u], m_stores);
    atomicAdd(&counts[workgroup * SLOTS + 2u], l_stores);
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let n = launch.n;
    let workgroup = launch.first_workgroup + group.x;
    let row = workgroup * BR + lane;
    if row < n {
        for (var c = 0u; c < C; c++) {
            store_o(row * C + c, vec4<f32>());
        }
        store_m(row, LOWEST);
        store_l(row, 0.0);
    }
    if COUNT { report_counts(workgroup); }
}
