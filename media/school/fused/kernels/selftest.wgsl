// What a device does with numbers, one operation an element.
//
// Each pipeline picks one OPERATION; workflow/fusedfacts/device/operations.py lists them, and
// selftest.py what follows from the results. Operands come from buffers, so no compiler can work
// them out beforehand.

override OPERATION: u32;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) place: vec3<u32>) {
    let i = place.x;
    if i < arrayLength(&result) {
        switch OPERATION {
            case 0u: { result[i] = a[i] + b[i]; }
            case 1u: { result[i] = a[i] * b[i]; }
            case 2u: { result[i] = a[i] * b[i] + c[i]; }
            case 3u: { result[i] = a[i] / b[i]; }
            case 4u: { result[i] = exp(a[i]); }
            case 5u: { result[i] = a[i]; }
            default: {}
        }
    }
}
