package archtest

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"voicepool/internal/longtest"
)

// proseBudgets has the number of hits that each package and page may have. TestProse fails if a package has more
// hits, and also if it has fewer, so that a budget only falls.
const proseBudgets = "internal/archtest/testdata/prose_budgets.txt"

// Limits of hits per 1,000 words. A package of fewer than smallPackage words may have smallHits.
const (
	limitPackage = 4
	limitPage    = 8
	limitAll     = 5
	smallPackage = 2000
	smallHits    = 8
)

// phrase is a pattern of prose that a reader must read twice. A space matches any white space.
type phrase struct {
	name    string
	pattern *regexp.Regexp
	words   []string       // a match contains at least one, in lower case and with single spaces
	unless  *regexp.Regexp // if it matches the text from the hit on, the phrase is allowed; optional
	instead string
}

func newPhrase(name, pattern, unless, instead string) phrase {
	compile := func(s string) *regexp.Regexp { return regexp.MustCompile(strings.ReplaceAll(s, " ", `\s+`)) }
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err)
	}
	p := phrase{name: name, pattern: compile(pattern), instead: instead}
	p.words, _ = wordsOf(tree)
	if unless != "" {
		p.unless = compile(`\A(?:` + unless + `)`)
	}
	return p
}

// phrases lists the patterns, which docs/testing.md describes.
var phrases = []phrase{
	newPhrase("what as a noun", `\b[Ww]hat (?:is|was|are|were|has|have|had|it|a|an|the|they|he|we|moves|comes|goes|follows|stands|plays|keeps|lies|rings|gives|waits|reads|sounds|says|does|do|can|may|must|would|will|nobody|somebody|one|each|people|others|there|else|starts|begins|stays|acts)\b`, "",
		"a noun"),
	newPhrase("who as a noun", `\b[Ww]ho(?:ever)? (?:gives|takes|comes|goes|has|is|was|asks|reads|writes|wants|plays|hears|may|can|made|makes|sends|does|took|calls|says|waits|keeps|lives|listens|holds)\b`, "",
		"the caller, the listener, the client"),
	newPhrase("is what", `\b(?:is|are|was|were) (?:what|how|where|who|when|whatever)\b`, "",
		"a sentence with subject and verb"),
	newPhrase("all that", `\b[Aa]ll (?:that|else|of it|others|it is|what)\b`, "",
		"all, and a noun"),
	newPhrase("that of", `\b(?:that|those) of\b`, "",
		"the noun"),
	newPhrase("so many", `\b[Ss]o (?:many|much|often|long|far|few)\b`, `\S+ \S+(?: as\b| that\b|,)`,
		"the quantity"),
	newPhrase("of which", `\b(?:of|to|by|for|in|on|from|at|through|with) which\b`, "",
		"two sentences"),
	newPhrase("is to", `\b(?:is|are|was|were) to (?:be )?[a-z]+`, "",
		"must, will, or an active verb"),
	newPhrase("nothing", `\b(?:[Nn]obody|[Ss]omebody|[Nn]othing)\b`, "",
		"a negated verb, or the person"),
	newPhrase("none", `\b(?:[Nn]one|[Nn]o other|[Nn]o more|any more)\b`, "",
		"a negated verb, or zero"),
	newPhrase("is no", `\b(?:is|are|was|were) no [a-z]`, `\S+ no longer\b`,
		"is not a"),
	newPhrase("stands", `\b(?:stands?|stood)\b`, `\S+ by\b`,
		"is, or is written"),
	newPhrase("gives way", `\b(?:gives?|gave|giving) way\b`, "",
		"is stolen"),
	newPhrase("goes on", `\b(?:goes|go|went|going) on\b`, "",
		"continues"),
	newPhrase("one that", `\b(?:[Oo]ne|[Tt]hose|[Oo]nes) (?:that|which|who|of)\b`, "",
		"the noun"),
	newPhrase("archaic", `\b(?:anew|unheard|meanwhile|besides|for ever|in the place of|but for|all but|of all others)\b`, "",
		"again, virtual, at the same time, also, except"),
	newPhrase("things that speak", `\b(?:says|tells|tell|told|knows|asks|asked|wants|hears|forgets|speaks)\b`, "",
		"returns, reports, requests, stores"),
	newPhrase("where in front", `(?:\A\s*|[.;,|] )[Ww]here (?:it|there|a|an|the|nothing|one|they|none|no)\b`, "",
		"if"),
	newPhrase("has it do", `\b[Hh]as (?:the|a|all|it|them|what|its)(?: \w+){0,3} (?:be|go|come|begin|act|wait|stand|look|fall|fade)\b`, "",
		"an active verb"),
}

// passage is a piece of prose with its first line in a file.
type passage struct {
	line int
	text string
}

// hit is a phrase in a file.
type hit struct {
	phrase
	line int
	text string // around the phrase
}

// wordsOf returns the words of phrase for a pattern, and whether they are all possible matches.
func wordsOf(re *syntax.Regexp) (list []string, whole bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}, true
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpBeginText:
		return []string{""}, true
	case syntax.OpCapture:
		return wordsOf(re.Sub[0])
	case syntax.OpQuest:
		list, whole = wordsOf(re.Sub[0])
		return append(list, ""), whole
	case syntax.OpCharClass:
		if len(re.Rune) == 4 && re.Rune[0] == re.Rune[1] && unicode.ToLower(re.Rune[0]) == re.Rune[3] { // [Ww]
			return []string{string(re.Rune[3])}, true
		}
	case syntax.OpAlternate:
		whole = true
		for _, sub := range re.Sub {
			more, all := wordsOf(sub)
			list, whole = append(list, more...), whole && all
		}
		return list, whole
	case syntax.OpConcat: // the longest words in front of a part with an unknown text
		shortest := func(list []string) int {
			return len(slices.MinFunc(list, func(a, b string) int { return len(a) - len(b) }))
		}
		list, whole = []string{""}, true
		next := list
		for i, sub := range re.Sub {
			more, all := wordsOf(sub)
			var joined []string
			for _, a := range next {
				for _, b := range more {
					joined = append(joined, a+b)
				}
			}
			if next = joined; i == 0 || shortest(next) > shortest(list) || whole && all {
				list = next
			}
			if whole = whole && all; !all {
				next = []string{""}
			}
		}
		return list, whole
	}
	return []string{""}, false
}

// plain returns the text in lower case and with single spaces.
func (p passage) plain() string { return strings.Join(strings.Fields(strings.ToLower(p.text)), " ") }

// possible reports whether a plain text has a word of the phrase. Most passages have no word of any phrase, and the
// search for words takes a fraction of the time of a match.
func (f phrase) possible(plain string) bool {
	return slices.ContainsFunc(f.words, func(word string) bool { return strings.Contains(plain, word) })
}

// hits returns the phrases in a passage.
func (p passage) hits() []hit {
	var found []hit
	plain := p.plain()
	for _, f := range phrases {
		if !f.possible(plain) {
			continue
		}
		for _, at := range f.pattern.FindAllStringIndex(p.text, -1) {
			if f.unless != nil && f.unless.MatchString(p.text[at[0]:]) {
				continue
			}
			around := p.text[max(0, at[0]-30):min(len(p.text), at[1]+30)]
			found = append(found, hit{f, p.line + strings.Count(p.text[:at[0]], "\n"), strings.ToValidUTF8(strings.Join(strings.Fields(around), " "), "")})
		}
	}
	return found
}

var (
	commentMark = regexp.MustCompile(`(?m)^[ \t]*(?://|/\*|\*/|\*)[ \t]?`)
	directive   = regexp.MustCompile(`^//(?:go:|nolint|line )`)
	scriptText  = regexp.MustCompile("(?s)//[^\n]*|/\\*.*?\\*/|'(?:[^'\\\\\n]|\\\\.)*'|\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`")
	tag         = regexp.MustCompile(`(?s)<[^>]*>`)
	hash        = regexp.MustCompile(`(?m)^[ \t]*#(?:[^!\n][^\n]*)?\n`)
)

// goPassages returns the comments of a Go file, and outside tests the strings of three words or more. Comments on
// consecutive lines are one passage.
func goPassages(file string, source []byte) []passage {
	files := token.NewFileSet()
	f := files.AddFile(file, -1, len(source))
	var s scanner.Scanner
	s.Init(f, source, nil, scanner.ScanComments)
	var found []passage
	next := 0 // the line at which a comment continues the last passage
	for {
		pos, kind, literal := s.Scan()
		line := f.Line(pos)
		switch {
		case kind == token.EOF:
			return found
		case kind == token.COMMENT && !directive.MatchString(literal):
			text := strings.TrimSuffix(commentMark.ReplaceAllString(literal, ""), "*/")
			if line == next {
				found[len(found)-1].text += "\n" + text
			} else {
				found = append(found, passage{line, text})
			}
			next = line + 1 + strings.Count(literal, "\n")
		case kind == token.STRING && !strings.HasSuffix(file, "_test.go"):
			text, err := strconv.Unquote(literal)
			if err == nil && len(strings.Fields(text)) >= 3 {
				found = append(found, passage{line, text})
				next = 0
			}
		}
	}
}

// pagePassages returns the paragraphs of a page, without code.
func pagePassages(source []byte) []passage {
	var found []passage
	block := false
	for i, line := range strings.Split(string(source), "\n") {
		if strings.HasPrefix(line, "```") {
			block = !block
			continue
		}
		if block {
			continue
		}
		line = code.ReplaceAllString(address.ReplaceAllString(line, "]"), "code")
		if last := len(found) - 1; line != "" && last >= 0 && found[last].line+strings.Count(found[last].text, "\n") == i && !item.MatchString(line) && !tableRow.MatchString(line) {
			found[last].text += "\n" + line
			continue
		}
		if line != "" {
			found = append(found, passage{i + 1, line})
		}
	}
	return found
}

// matches returns the matches of a pattern as passages.
func matches(pattern *regexp.Regexp, source []byte, clean func(string) string) []passage {
	var found []passage
	for _, at := range pattern.FindAllIndex(source, -1) {
		text := clean(string(source[at[0]:at[1]]))
		if len(strings.Fields(text)) >= 3 {
			found = append(found, passage{1 + bytes.Count(source[:at[0]], []byte("\n")), text})
		}
	}
	return found
}

// passages returns the prose of a file, or nil if the file is of no known kind.
func passages(file string, source []byte) []passage {
	switch {
	case strings.HasSuffix(file, ".go"):
		return goPassages(file, source)
	case strings.HasSuffix(file, ".md"):
		return pagePassages(source)
	case strings.HasSuffix(file, ".js"), strings.HasSuffix(file, ".mjs"):
		return matches(scriptText, source, func(s string) string {
			return strings.Trim(commentMark.ReplaceAllString(s, ""), "'\"`*/")
		})
	case strings.HasSuffix(file, ".html"):
		text := tag.ReplaceAllStringFunc(string(source), func(s string) string { return " " + strings.Repeat("\n", strings.Count(s, "\n")) })
		return []passage{{1, text}}
	case !strings.Contains(path.Base(file), ".") && bytes.HasPrefix(source, []byte("#!")):
		return matches(hash, source, func(s string) string { return strings.TrimLeft(s, "# \t") })
	}
	return nil
}

// proseOf is the prose of a package or a page.
type proseOf struct {
	words int
	hits  []string
}

// TestProse counts phrases that are hard to read in comments, messages and pages, and compares each package and
// each page with its budget. `go test ./internal/archtest -run TestProse -update` writes new budgets.
func TestProse(t *testing.T) {
	found := map[string]*proseOf{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == "testdata" || name == "node_modules" || name == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || strings.Contains(name, ".") && !slices.Contains([]string{".go", ".md", ".js", ".mjs", ".html"}, path.Ext(name)) {
			return nil
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		key := path.Dir(file)
		if strings.HasSuffix(file, ".md") {
			key = file
		}
		for _, p := range passages(file, source) {
			if found[key] == nil {
				found[key] = &proseOf{}
			}
			found[key].words += len(strings.Fields(p.text))
			for _, f := range phrases {
				if longtest.Enabled() && f.pattern.MatchString(p.text) && !f.possible(p.plain()) {
					t.Errorf("%s:%d: a match of %q has no word of %q", file, p.line, f.name, f.words)
				}
			}
			for _, h := range p.hits() {
				found[key].hits = append(found[key].hits, fmt.Sprintf("%s: %s: ...%s... (write %s)", position(file, h.line), h.name, h.text, h.instead))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		var b strings.Builder
		for _, key := range slices.Sorted(maps.Keys(found)) {
			if n := len(found[key].hits); n > 0 {
				fmt.Fprintf(&b, "%d %s\n", n, key)
			}
		}
		if err := os.WriteFile(proseBudgets, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	budgets := map[string]int{}
	lines, err := os.ReadFile(proseBudgets)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		var n int
		var key string
		if _, err := fmt.Sscan(line, &n, &key); err != nil {
			t.Fatalf("%s: %q: %v", proseBudgets, line, err)
		}
		budgets[key] = n
		if found[key] == nil {
			t.Errorf("%s has a budget for %s, which has no prose: remove the line", proseBudgets, key)
		}
	}
	words, hits := 0, 0
	for key, p := range found {
		n := len(p.hits)
		words, hits = words+p.words, hits+n
		switch page := strings.HasSuffix(key, ".md"); {
		case n > budgets[key]:
			t.Errorf("%s has %d phrases that are hard to read, its budget is %d:\n%s", key, n, budgets[key], strings.Join(p.hits, "\n"))
		case n < budgets[key]:
			t.Errorf("%s has %d phrases that are hard to read, fewer than its budget of %d: lower it with -update", key, n, budgets[key])
		case page && 1000*n > limitPage*p.words,
			!page && 1000*n > limitPackage*p.words && (p.words >= smallPackage || n > smallHits):
			t.Errorf("%s has %d phrases that are hard to read in %d words, more than the limit:\n%s", key, n, p.words, strings.Join(p.hits, "\n"))
		}
	}
	t.Logf("%d phrases in %d words: %.1f per 1,000", hits, words, 1000*float64(hits)/float64(words))
	if 1000*hits > limitAll*words {
		t.Errorf("all packages and pages have %d phrases that are hard to read in %d words, want at most %d per 1,000", hits, words, limitAll)
	}
	if len(found) < 100 || words < 100_000 {
		t.Errorf("only %d packages and pages with %d words were found", len(found), words)
	}
}

// TestProseFindsPhrases plants each phrase in each place where prose is written.
func TestProseFindsPhrases(t *testing.T) {
	planted := map[string]string{
		"what as a noun":    "What is taken fades.",
		"who as a noun":     "Whoever calls must wait.",
		"is what":           "A voice is what plays.",
		"all that":          "It reads all that remains.",
		"that of":           "Its gain and that of the bus differ.",
		"so many":           "It waits for so many frames.",
		"of which":          "A bus the gain of which is zero.",
		"is to":             "The command is to be run.",
		"nothing":           "It returns nothing here.",
		"none":              "There are none left.",
		"is no":             "It is no sound.",
		"stands":            "The gain stands in the sheet.",
		"gives way":         "The quietest gives way here.",
		"goes on":           "The sound goes on then.",
		"one that":          "Use one that loops.",
		"archaic":           "It begins anew then.",
		"things that speak": "The mixer tells the caller.",
		"where in front":    "Where there is a limit, it holds.",
		"has it do":         "The cue has the bus fade.",
	}
	clean := "The voice with the lowest score is stolen, and its slot is free. It is no longer real, so far as\nthe mixer is concerned. Load by hand."
	places := []struct{ file, before, after string }{
		{"a.go", "package a\n\n// ", "\n"},
		{"a_test.go", "package a\n\n// ", "\n"},
		{"a.go", "package a\n\n/*\n", "\n*/\n"},
		{"a.go", "package a\n\nvar a = \"", "\"\n"},
		{"a.go", "package a\n\nvar a = `\n", "`\n"},
		{"a.md", "# A\n\n", "\n"},
		{"a.md", "# A\n\n| a | ", " |\n"},
		{"a.js", "// ", "\n"},
		{"a.js", "/* ", "\n*/\n"},
		{"a.js", "let a = '", "'\n"},
		{"a.js", "let a = `\n", "`\n"},
		{"a.html", "<p>\n", "</p>\n"},
		{"a", "#!/bin/sh\n# ", "\n"},
	}
	count := func(file, text string) (names []string) {
		for _, p := range passages(file, []byte(text)) {
			for _, h := range p.hits() {
				names = append(names, h.name)
			}
		}
		return names
	}
	for _, f := range phrases {
		if slices.ContainsFunc(f.words, func(word string) bool { return len(word) < 4 }) {
			t.Errorf("%q is looked for by the words %q, some are too short", f.name, f.words)
		}
		if planted[f.name] == "" {
			t.Errorf("no sentence is planted for %q", f.name)
		}
	}
	for _, p := range places {
		for name, sentence := range planted {
			if got := count(p.file, p.before+sentence+p.after); !slices.Contains(got, name) {
				t.Errorf("%s: %q is found as %q, want %q", p.file, p.before+sentence+p.after, got, name)
			}
		}
		text := clean
		if strings.HasSuffix(p.before, "// ") || strings.HasSuffix(p.before, "# ") || strings.Contains(p.before, `"`) || strings.Contains(p.before, "'") {
			text = strings.ReplaceAll(clean, "\n", " ")
		}
		if got := count(p.file, p.before+text+p.after); len(got) > 0 {
			t.Errorf("%s: %q is found as %q, want no phrase", p.file, p.before+text+p.after, got)
		}
	}
	// A phrase on two lines, with its line number.
	found := passages("a.go", []byte("package a\n\n// a is\n// what is\n// taken.\nvar a int\n"))
	if len(found) != 1 || len(found[0].hits()) != 2 || found[0].hits()[0].line != 4 {
		t.Errorf("a phrase on two lines is found as %+v", found)
	}
	// Strings of tests, directives and short strings are not prose.
	for file, text := range map[string]string{
		"a_test.go": "package a\n\nvar a = \"what is taken fades\"\n",
		"a.go":      "package a\n\n//go:generate what is taken\nvar a = \"none\"\n",
		"a.md":      "`what is taken` in code\n\n```\nwhat is taken\n```\n",
	} {
		if got := count(file, text); len(got) > 0 {
			t.Errorf("%s: %q is found as %q, want no phrase", file, text, got)
		}
	}
}
