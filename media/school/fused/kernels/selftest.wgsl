// What a device does with numbers and with indices, one operation an element.
//
// Each pipeline picks one OPERATION; workflow/fusedfacts/device/operations.py lists the inputs and what
// follows from the results. Operands come from buffers, so no compiler can work them out beforehand.

override OPERATION: u32;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> result: array<f32>;

const LANES = 64u;
var<workgroup> bench: array<f32, LANES>;

fn four(i: u32) -> vec4<f32> {
    return vec4<f32>(a[4u * i], a[4u * i + 1u], a[4u * i + 2u], a[4u * i + 3u]);
}

fn other_four(i: u32) -> vec4<f32> {
    return vec4<f32>(b[4u * i], b[4u * i + 1u], b[4u * i + 2u], b[4u * i + 3u]);
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(global_invocation_id) place: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = place.x;
    let count = arrayLength(&result);
    bench[lane] = a[min(i, arrayLength(&a) - 1u)];
    workgroupBarrier();

    // The only operation that means to miss its buffer: every invocation stores behind the end.
    if OPERATION == 7u { result[i + count] = 1.0; }
    if i < count {
        switch OPERATION {
            case 0u: { result[i] = a[i] + b[i]; }
            case 1u: { result[i] = a[i] * b[i]; }
            case 2u: { result[i] = a[i] * b[i] + c[i]; }
            case 3u: { result[i] = a[i] / b[i]; }
            case 4u: { result[i] = exp(a[i]); }
            case 5u: { result[i] = dot(four(i), other_four(i)); }
            case 6u: { result[i] = a[i + count]; }
            case 8u: { result[i] = bench[lane + LANES]; }
            case 9u: { result[i] = a[i]; }
            default: {}
        }
    }
}
