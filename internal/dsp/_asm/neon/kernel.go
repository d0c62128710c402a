package main

import (
	"fmt"
	"strings"
)

// vec is a vector register, gp a general-purpose register.
type (
	vec int
	gp  int
)

// String, s4, d2, h8 and b16 return the name of the vector for the assembler: as a whole, or as lanes of 32, 64, 16
// or 8 bits.
func (v vec) String() string { return fmt.Sprintf("V%d", int(v)) }
func (v vec) s4() string     { return fmt.Sprintf("V%d.S4", int(v)) }
func (v vec) d2() string     { return fmt.Sprintf("V%d.D2", int(v)) }
func (v vec) h8() string     { return fmt.Sprintf("V%d.H8", int(v)) }
func (v vec) b16() string    { return fmt.Sprintf("V%d.B16", int(v)) }

// f returns the name of the vector in instructions that move it as a whole, or its first lane.
func (v vec) f() string { return fmt.Sprintf("F%d", int(v)) }

// String returns the name of the register for the assembler, such as R3.
func (r gp) String() string { return fmt.Sprintf("R%d", int(r)) }

// general lists the free registers: R16 and R17 belong to the linker, R18 to the system, R26 to R30 to Go.
var general = []gp{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25}

// kernel is a function in progress. Registers are allocated in order; running out of them panics.
type kernel struct {
	name, params string
	results      []string
	offsets      map[string]int
	sizes        map[string]int
	size         int
	body         strings.Builder
	vecs, gps    int // in use
	labels       int
}

var kernels []*kernel

// newKernel starts a kernel, which ends with a return.
func newKernel(name, params string, results ...string) *kernel {
	k := &kernel{name: name, params: params, results: results, offsets: map[string]int{}, sizes: map[string]int{}}
	for p := range strings.SplitSeq(params, ", ") {
		k.addParameter(p)
	}
	if len(results) > 0 {
		k.size = (k.size + 7) &^ 7
	}
	for _, r := range results {
		k.addParameter(r)
	}
	kernels = append(kernels, k)
	return k
}

// addParameter assigns the offset of a parameter.
func (k *kernel) addParameter(param string) {
	name, kind, _ := strings.Cut(param, " ")
	size := 8
	if strings.HasSuffix(kind, "32") && !strings.HasPrefix(kind, "*") {
		size = 4
	}
	k.size = (k.size + size - 1) &^ (size - 1)
	k.offsets[name], k.sizes[name] = k.size, size
	k.size += size
}

// arg returns the operand of a parameter or result.
func (k *kernel) arg(name string) string {
	at, ok := k.offsets[name]
	if !ok {
		panic(k.name + " has no parameter " + name)
	}
	return fmt.Sprintf("%s+%d(FP)", name, at)
}

// signature returns the declaration of the kernel in Go, without a body.
func (k *kernel) signature() string {
	results := strings.Join(k.results, ", ")
	if kind, unnamed := strings.CutPrefix(results, "ret "); unnamed {
		results = " " + kind
	} else if results != "" {
		results = " (" + results + ")"
	}
	return fmt.Sprintf("func %s(%s)%s", k.name, k.params, results)
}

// assembly returns the text of the finished kernel, with its head and a return at the end.
func (k *kernel) assembly() string {
	return fmt.Sprintf("// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n%s\tRET\n", k.signature(), k.name, k.size, k.body.String())
}

// op writes one instruction in the order of Go's assembler: sources first, then the destination.
func (k *kernel) op(name string, operands ...any) {
	words := make([]string, len(operands))
	for i, x := range operands {
		words[i] = fmt.Sprint(x)
	}
	line := "\t" + name
	if len(words) > 0 {
		line = fmt.Sprintf("\t%-7s %s", name, strings.Join(words, ", "))
	}
	k.body.WriteString(line + "\n")
}

// vec returns a free register.
func (k *kernel) vec() vec {
	if k.vecs == 32 {
		panic(k.name + " needs more than 32 vectors")
	}
	k.vecs++
	return vec(k.vecs - 1)
}

// vecsOf returns n consecutive free registers.
func (k *kernel) vecsOf(n int) []vec {
	v := make([]vec, n)
	for i := range v {
		v[i] = k.vec()
	}
	return v
}

// gp returns a free register.
func (k *kernel) gp() gp {
	k.gps++
	return general[k.gps-1]
}

// load loads a parameter of 32 or 64 bits.
func (k *kernel) load(name string) gp {
	r := k.gp()
	k.op(map[int]string{8: "MOVD", 4: "MOVWU"}[k.sizes[name]], k.arg(name), r)
	return r
}

// scope frees the registers that its body allocates.
func (k *kernel) scope(body func()) {
	vecs, gps := k.vecs, k.gps
	body()
	k.vecs, k.gps = vecs, gps
}

// label returns a label that is unique in the kernel.
func (k *kernel) label(what string) string {
	k.labels++
	return fmt.Sprintf("%s%d", what, k.labels)
}

// at places label at the next instruction.
func (k *kernel) at(label string) { k.body.WriteString("\n" + label + ":\n") }

// loop repeats its body until n is 0, decreasing n by by.
func (k *kernel) loop(n gp, by int, body func()) {
	again := k.label("loop")
	k.at(again)
	k.scope(body)
	k.op("SUB", imm(by), n)
	k.op("CBNZ", n, again)
}

// mem returns the operand for a memory address.
func mem(base gp, offset int) string {
	if offset == 0 {
		return fmt.Sprintf("(%v)", base)
	}
	return fmt.Sprintf("%d(%v)", offset, base)
}

// imm returns the operand for the constant x.
func imm(x int) string { return fmt.Sprintf("$%d", x) }

// pair returns the operand for two consecutive vectors in FLDPQ and FSTPQ.
func pair(a, b vec) string { return fmt.Sprintf("(%s, %s)", a.f(), b.f()) }
