package yaml_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"voicepool/internal/cputime"
	"voicepool/internal/longtest"
	"voicepool/internal/sheet/yaml"
)

// show describes a node with its positions, for any style.
func show(n *yaml.Node) string {
	if n == nil || n.Kind == yaml.Null {
		return "null"
	}
	if n.Kind == yaml.Scalar {
		return fmt.Sprintf("%d:%d %q %v", n.Line, n.Column, n.Text, n.Quoted)
	}
	var parts []string
	for _, item := range n.Items {
		parts = append(parts, show(item))
	}
	for _, p := range n.Pairs {
		parts = append(parts, fmt.Sprintf("%d:%d %q=%s", p.Line, p.Column, p.Key, show(p.Value)))
	}
	return fmt.Sprintf("%d:%d %v%v", n.Line, n.Column, n.Kind, parts)
}

// TestTrees reads small texts, including ambiguous YAML.
func TestTrees(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "null"},
		{"# only this\n", "null"},
		{"---\n...\n", "null"},
		{"~", "null"},
		{"a: 1", `1:1 a mapping[1:1 "a"=1:4 "1" false]`},
		{"\ufeffa: 1\r\nb: 2\r", `1:1 a mapping[1:1 "a"=1:4 "1" false 2:1 "b"=2:4 "2" false]`},
		{"{\"a\":1,\t\"b\" : [ ]}", `1:1 a mapping[1:2 "a"=1:6 "1" false 1:9 "b"=1:15 a list[]]`},
		{"# x\n  [é,\nb]", `2:3 a list[2:4 "é" false 3:1 "b" false]`},
		{"---\n{a: 1}", `2:1 a mapping[2:2 "a"=2:5 "1" false]`},
		{"é: 'it''s'\nyes: \"\\u00e9\\x41\"", `1:1 a mapping[1:1 "é"=1:4 "it's" true 2:1 "yes"=2:6 "éA" true]`},
		{"- a\n-\n- null\n- ''\n", `1:1 a list[1:3 "a" false null null 4:3 "" true]`},
		{"a:\n- 1\nb:\n  c: x # y\n", `1:1 a mapping[1:1 "a"=2:1 a list[2:3 "1" false] 3:1 "b"=4:3 a mapping[4:3 "c"=4:6 "x" false]]`},
		{"a: &x [1]\nb: *x\nc: *x", `1:1 a mapping[1:1 "a"=1:7 a list[1:8 "1" false] 2:1 "b"=1:7 a list[1:8 "1" false] 3:1 "c"=1:7 a list[1:8 "1" false]]`},
		{"a: &x\n  b: 1\nc: *x", `1:1 a mapping[1:1 "a"=2:3 a mapping[2:3 "b"=2:6 "1" false] 3:1 "c"=2:3 a mapping[2:3 "b"=2:6 "1" false]]`},
		{"&k a: 1\nb: *k", `1:1 a mapping[1:4 "a"=1:7 "1" false 2:1 "b"=1:4 "a" false]`},
		{"a: 1\na: 2", `1:1 a mapping[1:1 "a"=1:4 "1" false 2:1 "a"=2:4 "2" false]`},
		{"<<: {a: 1}", `1:1 a mapping[1:1 "<<"=1:5 a mapping[1:6 "a"=1:9 "1" false]]`},
		{"[a: b, c]", `1:1 a list[1:2 a mapping[1:2 "a"=1:5 "b" false] 1:8 "c" false]`},
		{"- no\n- 0x1F\n- 1_000\n- 012\n- 2026-01-02\n- .inf", `1:1 a list[1:3 "no" false 2:3 "0x1F" false 3:3 "1_000" false 4:3 "012" false 5:3 "2026-01-02" false 6:3 ".inf" false]`},
		{`["\ud83d\ude00x\uD83D\uDE00", '\ud83d\ude00', \ud83d\ude00]`, `1:1 a list[1:2 "😀x😀" true 1:31 "\\ud83d\\ude00" true 1:47 "\\ud83d\\ude00" false]`},
		{`["\ue83d"]`, "1:1 a list[1:2 \"\\ue83d\" true]"},
	} {
		n, wrong := yaml.Read([]byte(c.text), "show list")
		if wrong != nil {
			t.Errorf("%q: %v", c.text, wrong)
		} else if got := show(n); got != c.want {
			t.Errorf("%q\nis read as %s\nwant       %s", c.text, got, c.want)
		}
	}
}

// TestFaults checks the position and wording of errors.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: \xff", "1:4: the list is not UTF-8 text"},
		{"\xff\xfea\x00", "1:1: the list is not UTF-8 text"},
		{"a\x00b", "1:2: the list has a control character here; it must be a text"},
		{"a: \"b\u2028c\"", "1:6: the list has the character U+2028 here, which readers treat differently; write it as an escape in quotes"},
		{"a: 1\n---\nb: [\n", "2:1: a show list is one document; this begins another"},
		{"a: 1\n...\nb", "3:1: a show list is one document; this begins another"},
		{"%YAML 1.2\n---\na: 1", "1:1: directives are not part of a show list"},
		{"# x\n%FOO\n---\na: 1", "2:1: directives are not part of a show list"},
		{"a: 1\n%x", "2:1: directives are not part of a show list"},
		{"a: !!binary aGk=", "1:4: tags, such as !!int, are not part of a show list; a text with ! needs quotes"},
		{"a: &x !!map {}", "1:7: tags, such as !!int, are not part of a show list; a text with ! needs quotes"},
		{"! a", "1:1: tags, such as !!int, are not part of a show list; a text with ! needs quotes"},
		{"a: !<", "1:4: tags, such as !!int, are not part of a show list; a text with ! needs quotes"},
		{"a: !e!x 1", "1:4: tags, such as !!int, are not part of a show list; a text with ! needs quotes"},
		{"a: &x >-\n  b", "1:7: texts of several lines, with | and >, are not part of a show list; write the value in quotes"},
		{"a: |9x\n", "1:4: texts of several lines, with | and >, are not part of a show list; write the value in quotes"},
		{"{a: 1, ? b: 2}", "1:8: keys written with a question mark are not part of a show list"},
		{"a: 1\n? b", "2:1: keys written with a question mark are not part of a show list"},
		{"[a]: 1", "1:4: unexpected colon; does a text with a colon need quotes?"},
		{"- [a]: 1", "1:3: a key is a text; this is a list"},
		{"{{a: 1}: 1}", "1:2: a key is a text; this is a mapping"},
		{"a: &x b\n*x : c", "2:1: unexpected \"*x\"; is the indentation right?"},
		{": b", "1:1: unexpected colon; does a text with a colon need quotes?"},
		{"a: b: c", "1:5: unexpected colon; does a text with a colon need quotes?"},
		{"a: 1\n  b: 2", "2:3: unexpected \"b\"; is the indentation right?"},
		{"a: 1\n  b", "2:3: unexpected \"b\"; is the indentation right?"},
		{"a: [b\n  c]", "2:3: unexpected \"c]\"; is the indentation right?"},
		{"{a:[1]}", "1:4: unexpected \"[\"; write a space after the colon"},
		{"a: - b", "1:4: unexpected \"-\"; is the indentation right?"},
		{"a: 'b\n  c'", "1:4: this quote is not closed in its line"},
		{"a: \"b\\\n  c\"", "1:4: this quote is not closed in its line"},
		{"- {a: \"b}\n- {a: \"c\"}\n", "1:7: this quote is not closed in its line"},
		{"\"\\", "1:1: this quote is not closed in its line"},
		{"a\n\"b", "2:1: this quote is not closed in its line"},
		{"a: 'b", "1:4: this quote is not closed in its line"},
		{"a: [1, {b: 2}, # c\n", "1:4: this [ is never closed"},
		{"# x\n  [é, {a: ", "2:7: this { is never closed"},
		{"{a: 1}\n---\nb: 1", "2:1: a show list is one document; this begins another"},
		{"{a: \"b,\n c: \"d\"}", "1:5: this quote is not closed in its line"},
		{"[{a: ", "1:2: this { is never closed"},
		{"[1, 2", "1:1: this [ is never closed"},
		{"[1}]", "1:3: unexpected \"}\"; is the indentation right?"},
		{`"\xg1"`, `1:1: an escape \"g1" is not a number`},
		{`"\u12"`, "1:1: an escape has too few digits"},
		{`"\U00110000"`, "1:1: an escape is not a character"},
		{`["\ud83d\ude00", "\\ud83d\ude00"]`, "1:18: an escape is not a character"},
		{`"\é"`, "1:1: unknown escape \\é"},
		{"a: &x [*x]", "1:8: unknown anchor \"&x\"; define it before its use"},
		{"a: &x {b: {c: *x}}", "1:15: unknown anchor \"&x\"; define it before its use"},
		{"a: *", "1:4: a name is missing after *; a text that begins with it needs quotes"},
		{"a: &x", "1:6: the list ends too early"},
		{"a: &x\nb: 1", "2:1: unexpected \"b\"; is the indentation right?"},
		{"a: 1\n\t- b", "2:2: unexpected tab before this; indent with spaces"},
		{"a: `b", "1:4: no value begins with '`'; it needs quotes"},
		{"- \"a\" b\n", "1:7: unexpected \"b\"; is the indentation right?"},
		{"- a\n- 'b' 'c'\n", "2:7: unexpected \"c\"; is the indentation right?"},
		{"voices:\u00a08\ncues: []", "1:8: the character U+00A0 here looks like a space; write a plain space"},
		{"cues:\n\u00a0 - at: 0\n    play: a", "2:1: the character U+00A0 here looks like a space; write a plain space"},
		{"a: 1\u3000b: 2: 3", "1:5: the character U+3000 here looks like a space; write a plain space"},
		{"a: \"10\u00a0h\"\nb: c: 3", "2:5: unexpected colon; does a text with a colon need quotes?"},
		{"a: 音\u3000楽\nb: c: 3", "2:5: unexpected colon; does a text with a colon need quotes?"},
		{"a: 1 # 10\u00a0h\nb: c: 3", "2:5: unexpected colon; does a text with a colon need quotes?"},
		{"é: é: 1", "1:5: unexpected colon; does a text with a colon need quotes?"},
	} {
		n, wrong := yaml.Read([]byte(c.text), "show list")
		switch {
		case wrong == nil:
			t.Errorf("%q is read as %s, want %s", c.text, show(n), c.want)
		case wrong.Error() != c.want:
			t.Errorf("%q: %v, want %s", c.text, wrong, c.want)
		}
	}
}

// TestBounds checks that texts just above a limit are rejected and that texts at the limit are read.
func TestBounds(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x]\n"
	deep := "d0: &d0 [x]\n"
	for i := range 40 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 8), ", "))
		deep += fmt.Sprintf("d%d: &d%d [*d%d]\n", i+1, i+1, i)
	}
	for _, c := range []struct{ name, text, want string }{
		{name: "size", text: strings.Repeat("#\n", 9<<20), want: "the sheet has more than 16 MiB"},
		{
			name: "brackets", text: strings.Repeat("[", 32) + strings.Repeat("]", 32),
			want: "1:32: this is nested deeper than 32 levels",
		},
		{name: "brackets read", text: strings.Repeat("[", 31) + strings.Repeat("]", 31)},
		{name: "dashes", text: strings.Repeat("- ", 33) + "x", want: "1:65: this is nested deeper than 32 levels"},
		{name: "dashes read", text: strings.Repeat("- ", 31) + "x"},
		{
			name: "dashes and brackets",
			text: strings.Repeat("- ", 20) + strings.Repeat("[", 20) + "x" + strings.Repeat("]", 20),
			want: "1:53: this is nested deeper than 32 levels",
		},
		{name: "aliases within aliases", text: deep, want: "31:12: this is nested deeper than 32 levels"},
		{name: "aliases of aliases", text: bomb, want: "7:35: the sheet has more than 2097152 values"},
		{
			name: "long text", text: "- '" + strings.Repeat("x", 1<<16+1) + "'",
			want: "1:3: this text is longer than 65536 bytes",
		},
		{name: "long text read", text: "- '" + strings.Repeat("x", 1<<16) + "'"},
		{
			name: "marks", text: "{" + strings.Repeat("a,", 7<<20) + "}",
			want: "1:7340033: the sheet has more commas, colons and dashes than 2097152 values need",
		},
	} {
		_, wrong := yaml.Read([]byte(c.text), "sheet")
		got := ""
		if wrong != nil {
			got = wrong.Error()
		}
		if got != c.want {
			t.Errorf("%s: %.200q, want %q", c.name, got, c.want)
		}
	}
}

// drawn is a generated text together with its expected tree.
type drawn struct {
	*rapid.T
	text strings.Builder
}

func (d *drawn) here() (line, column int) {
	s := d.text.String()
	return 1 + strings.Count(s, "\n"), 1 + len([]rune(s[strings.LastIndexByte(s, '\n')+1:]))
}

// scalar writes a value and returns its expected description.
func (d *drawn) scalar() string {
	c := rapid.SampledFrom([]struct{ source, text string }{
		{"a", "a"}, {"-6.5", "-6.5"}, {"1.5s", "1.5s"}, {"true", "true"}, {"~", ""}, {"null", ""}, {`"x: #y"`, "x: #y"}, {"'it''s'", "it's"},
		{`"a\u00e9\n"`, "aé\n"}, {"b-c", "b-c"}, {"a b", "a b"}, {"é#1", "é#1"}, {"./p/q.wav", "./p/q.wav"}, {`""`, ""}, {"-x", "-x"}, {"?x", "?x"},
	}).Draw(d.T, "scalar")
	line, column := d.here()
	d.text.WriteString(c.source)
	if c.source == "~" || c.source == "null" {
		return "null"
	}
	return fmt.Sprintf("%d:%d %q %v", line, column, c.text, strings.ContainsAny(c.source[:1], `"'`))
}

// flow writes a value in flow style. A continuation line is indented deeper than any block.
func (d *drawn) flow(depth int) string {
	kind := rapid.IntRange(0, 4).Draw(d.T, "flow")
	if depth > 3 || kind > 1 {
		return d.scalar()
	}
	line, column := d.here()
	d.text.WriteByte("{["[kind])
	space := rapid.SampledFrom([]string{"", " ", "\n              ", " # why\n              "}).Draw(d.T, "space")
	var parts []string
	for i := range rapid.IntRange(0, 3).Draw(d.T, "count") {
		if i > 0 {
			d.text.WriteString(" ," + space)
		}
		key := ""
		if kind == 0 {
			l, c := d.here()
			key = fmt.Sprintf("%d:%d \"k%d\"=", l, c, i)
			fmt.Fprintf(&d.text, "k%d: ", i)
		}
		parts = append(parts, key+d.flow(depth+1))
	}
	d.text.WriteByte("}]"[kind])
	return fmt.Sprintf("%d:%d %v%v", line, column, []yaml.Kind{yaml.Mapping, yaml.List}[kind], parts)
}

// block writes a value behind a colon or a dash at an indentation.
func (d *drawn) block(indent, depth int) string {
	kind := rapid.IntRange(0, 5).Draw(d.T, "block")
	if depth > 3 || kind > 3 {
		d.text.WriteString(" ")
		out := d.flow(depth)
		d.text.WriteString(rapid.SampledFrom([]string{"", " # note", "\n# note", "\n"}).Draw(d.T, "note"))
		return out
	}
	inner := indent + rapid.IntRange(1, 3).Draw(d.T, "indent")
	if kind == 1 && depth == 0 {
		inner = indent // a list under its key
	}
	place := ""
	var parts []string
	for i := range rapid.IntRange(1, 3).Draw(d.T, "count") {
		d.text.WriteString("\n" + strings.Repeat(" ", inner))
		line, column := d.here()
		if i == 0 {
			place = fmt.Sprintf("%d:%d", line, column)
		}
		if kind == 1 {
			d.text.WriteString("-")
			parts = append(parts, d.block(inner, depth+1))
			continue
		}
		fmt.Fprintf(&d.text, "k%d:", i)
		parts = append(parts, fmt.Sprintf("%d:%d \"k%d\"=%s", line, column, i, d.block(inner, depth+1)))
	}
	if kind == 1 {
		return fmt.Sprintf("%s %v%v", place, yaml.List, parts)
	}
	return fmt.Sprintf("%s %v%v", place, yaml.Mapping, parts)
}

// TestAtRandom writes random trees in random styles and reads them.
func TestAtRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &drawn{T: t}
		d.text.WriteString("top:")
		want := `1:1 a mapping[1:1 "top"=` + d.block(0, 0) + "]"
		d.text.WriteByte('\n')
		n, wrong := yaml.Read([]byte(d.text.String()), "sheet")
		if wrong != nil {
			t.Fatalf("%s\nis refused: %v", d.text.String(), wrong)
		}
		if got := show(n); got != want {
			t.Fatalf("%s\nis read as %s\nwant       %s", d.text.String(), got, want)
		}
	})
}

// TestHostile reads 64 KiB of each known attack on YAML readers.
func TestHostile(t *testing.T) {
	size := 1 << 16
	if !longtest.Enabled() {
		size = 1 << 12
	}
	for _, piece := range []string{
		"[", "{", "{a: ", "- ", "-\n", "? ", "? a\n", ": ", "a:\n", "&a ", "*a ", "&a [", "!", "!!binary a", "!<", "|\n", ">\n ", "#", "# \n", "#a\n- b\n", "- a # x\n",
		"'", "''", "\"", "\"\"", "\\", "%", "%Y\n", "%TAG ! x\n", "---\n", "...\n", "\t", "\n", "\r", " ", "\n ", "a\n", "a\n\n ", ",", "[]", "[],", "{},", "[a, ", "a,", "a: b,", "]",
		"<<: *a\n", "<<: ", "a: [*a, *a]\n", "é", "\ufeff", "x: 'y'\n", "- {at: 0}\n", "a", "\"a\\n", "\"\\ud83d\\ude00\",", "\\u", "0", "a: b # c\n", "? [a]\n: b\n", "- - ", "-\t", "k: v\n",
	} {
		for _, before := range []string{"", "a: ", "\"", "[", "- ", "a: |\n  ", "a: &a b\n", "[[[[[", "x:\n  - y:\n     ", "# "} {
			src := []byte(before + strings.Repeat(piece, size/len(piece)))
			if took := cputime.Of(func() { _, _ = yaml.Read(src, "sheet") }); took >= 2*time.Second {
				t.Errorf("%q + %q: %d bytes took %v", before, piece, len(src), took)
			}
		}
	}
}

// FuzzRead checks that any text quickly gives a bounded tree or a one-line error with a position.
func FuzzRead(f *testing.F) {
	data, err := os.ReadFile("../../../cue/testdata/faults.txt")
	if err != nil {
		f.Fatal(err)
	}
	for c := range strings.SplitSeq(string(data), "=====\n") {
		text, _, _ := strings.Cut(c, "-----\n")
		f.Add([]byte(text))
	}
	f.Add([]byte("a: &x {b: [1, 'c''d', \"\\ud83d\\ude00\"]}\nc: *x\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		var n *yaml.Node
		var wrong *yaml.Error
		if took := cputime.Of(func() { n, wrong = yaml.Read(src, "sheet") }); took > 5*time.Second {
			t.Fatalf("%d bytes took %v", len(src), took)
		}
		lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n"), "\r", "\n"), "\n")
		inside := func(p yaml.Position) bool {
			return p.Line >= 1 && p.Line <= len(lines) && p.Column >= 1 && p.Column <= len([]rune(lines[p.Line-1]))+1
		}
		if wrong != nil {
			if n != nil || wrong.Msg == "" || strings.Contains(wrong.Msg, "\n") || !inside(wrong.Position) {
				t.Fatalf("%+v, and the tree %v", wrong, n)
			}
			return
		}
		count := 0
		var walk func(n *yaml.Node, depth int)
		walk = func(n *yaml.Node, depth int) {
			if count++; count > 1<<21 || depth > 32 || !inside(n.Position) {
				t.Fatalf("%d nodes, %d levels, a node at %v", count, depth, n.Position)
			}
			for _, item := range n.Items {
				walk(item, depth+1)
			}
			for _, p := range n.Pairs {
				if !inside(p.Position) {
					t.Fatalf("a key at %v", p.Position)
				}
				walk(p.Value, depth+1)
			}
		}
		if n != nil {
			walk(n, 1)
		}
	})
}
