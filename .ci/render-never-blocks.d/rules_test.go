package audit

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// rules define what code the walk may reach.
type rules struct {
	packages []string // a path, or path/... for the packages below it too
	assembly []string // packages that may have functions without a body
	unknown  []string // calls of functions provided by callers, named as by describe
	branches []branch
}

// branch is a call in reachable code that is never made.
type branch struct{ caller, callee string }

var mixerRules = rules{
	packages: []string{
		"voicepool/mixer", "voicepool/mixer/internal/batches", "voicepool/mixer/internal/busmix", "voicepool/mixer/internal/bustree", "voicepool/mixer/internal/commandqueue", "voicepool/mixer/internal/eventcode", "voicepool/mixer/internal/growth", "voicepool/mixer/internal/masking", "voicepool/mixer/internal/master", "voicepool/mixer/internal/pendingset", "voicepool/mixer/internal/publish",
		"voicepool/mixer/internal/score", "voicepool/mixer/internal/sleepclock", "voicepool/mixer/internal/spatial", "voicepool/mixer/internal/successor", "voicepool/mixer/internal/victim", "voicepool/mixer/internal/voicetable", "voicepool/effect", "voicepool/effect/internal/compressor", "voicepool/effect/internal/delay", "voicepool/effect/internal/drive",
		"voicepool/effect/internal/eq", "voicepool/effect/internal/ramp", "voicepool/effect/internal/reverb", "voicepool/effect/internal/width", "voicepool/space", "voicepool/internal/hearing", "voicepool/sounds", "voicepool/voice", "voicepool/pcm", "voicepool/pool", "voicepool/internal/dsp", "voicepool/internal/release", "voicepool/internal/ring", "voicepool/internal/loudness", "voicepool/internal/move", "voicepool/internal/panning", "voicepool/internal/passfilter", "voicepool/internal/playable", "voicepool/internal/property", "voicepool/internal/spectrum",
		"cmp", "slices", "math", "math/bits", "sync/atomic", "unsafe",
	},
	assembly: []string{"voicepool/internal/dsp", "math", "sync/atomic"},
	unknown: []string{
		"voicepool/mixer/internal/busmix.Insert.Process", // the user's effect; the mixer recovers its panics
		// Hooks of a pool. The mixer sets no hooks; if it did, the walk would find their functions.
		"voicepool/pool.Config.Make", "voicepool/pool.Config.Choose", "voicepool/pool.Config.OnAcquire", "voicepool/pool.Config.OnRelease",
	},
	branches: []branch{
		// The error of a limit out of range. The mixer checks the limit first, and panics on an error.
		{"voicepool/pool.SetLimit", "fmt.Errorf"},
	},
}

func among(list []string, path string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		below, wild := strings.CutSuffix(p, "/...")
		return p == path || wild && (path == below || strings.HasPrefix(path, below+"/"))
	})
}

// offence returns the rule that an instruction breaks by itself, or "". It ignores function calls.
func offence(i ssa.Instruction) string {
	switch i := i.(type) {
	case *ssa.Go:
		return "starts a goroutine"
	case *ssa.Send:
		return "sends to a channel"
	case *ssa.Select:
		return "selects among channels"
	case *ssa.MakeChan:
		return "makes a channel"
	case *ssa.MakeMap:
		return "makes a map"
	case *ssa.MapUpdate:
		return "writes to a map"
	case *ssa.Lookup:
		if isMap(i.X) {
			return "reads a map"
		}
	case *ssa.Range:
		if isMap(i.X) {
			return "walks a map"
		}
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			return "receives from a channel"
		}
	case ssa.CallInstruction:
		if b, ok := i.Common().Value.(*ssa.Builtin); ok {
			return builtin(b.Name(), i.Common().Args)
		}
	}
	return ""
}

func builtin(name string, args []ssa.Value) string {
	switch name {
	case "close":
		return "closes a channel"
	case "print", "println":
		return "prints"
	case "delete", "clear", "len", "cap":
		switch args[0].Type().Underlying().(type) {
		case *types.Map:
			return fmt.Sprintf("asks %s of a map", name)
		case *types.Chan:
			return fmt.Sprintf("asks %s of a channel", name)
		}
	}
	return ""
}

func isMap(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Map)
	return ok
}

// describe names the callee of a dynamic call: the method of an interface, or the field that the function was
// read from.
func describe(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return typeName(c.Value.Type()) + "." + c.Method.Name()
	}
	v := c.Value
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return fieldName(v.X.Type().Underlying().(*types.Pointer).Elem(), v.Field)
	case *ssa.Field:
		return fieldName(v.X.Type(), v.Field)
	}
	return v.String()
}

func fieldName(t types.Type, field int) string {
	return typeName(t) + "." + t.Underlying().(*types.Struct).Field(field).Name()
}

// typeName returns the name of a type with the path of its package, without type arguments.
func typeName(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj().Pkg().Path() + "." + n.Obj().Name()
	}
	return t.String()
}
