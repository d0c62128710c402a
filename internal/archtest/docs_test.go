package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// pages lists the pages in reading order for a newcomer, then those for reference. long is the allowed number
// of sentences longer than longSentence.
var pages = []struct {
	file string
	long int
}{
	{"README.md", 0},
	{"docs/README.md", 0},
	{"docs/concepts.md", 0},
	{"docs/glossary.md", 0},
	{"docs/cues.md", 0},
	{"docs/shows.md", 0},
	{"docs/service.md", 0},
	{"docs/cluster.md", 0},
	{"docs/scale.md", 0},
	{"docs/banks.md", 0},
	{"docs/music.md", 0},
	{"docs/game.md", 0},
	{"docs/stealing.md", 0},
	{"docs/effects.md", 0},
	{"docs/embedding.md", 0},
	{"docs/devices.md", 0},
	{"docs/performance.md", 0},
	{"docs/testing.md", 0},
	{"docs/migrating.md", 0},
	{"docs/design.md", 0},
	{"docs/decisions/001-two-sides.md", 0},
	{"docs/decisions/002-frames-not-blocks.md", 0},
	{"docs/decisions/003-same-bits-everywhere.md", 0},
	{"docs/decisions/004-loop-seams.md", 0},
	{"docs/decisions/005-steal-the-least-audible.md", 0},
	{"docs/decisions/006-pauses.md", 0},
	{"docs/decisions/007-bus-tree.md", 0},
	{"docs/decisions/008-effects-and-sends.md", 0},
	{"docs/decisions/009-coalescing-starts.md", 0},
	{"docs/decisions/010-call-clock.md", 0},
	{"docs/decisions/011-spatial.md", 0},
	{"docs/decisions/012-streams.md", 0},
	{"docs/decisions/013-virtual-voices.md", 0},
	{"docs/decisions/014-outputs.md", 0},
	{"docs/decisions/015-limiter.md", 0},
	{"docs/decisions/016-own-decoders.md", 0},
	{"docs/decisions/017-yaml-library.md", 0},
	{"docs/decisions/018-no-beep-mixer.md", 0},
	{"docs/decisions/019-growing-mixer.md", 0},
	{"docs/decisions/020-latest-resize-wins.md", 0},
	{"docs/decisions/021-start-names.md", 0},
	{"docs/decisions/022-sound-server-protocol.md", 0},
	{"docs/decisions/023-cluster-leases.md", 0},
	{"docs/decisions/024-shows.md", 0},
	{"docs/decisions/025-cost-of-a-block.md", 0},
	{"docs/decisions/026-reverb-speed.md", 0},
	{"docs/decisions/027-starts-in-a-crowd.md", 0},
	{"docs/decisions/028-release-stores.md", 0},
	{"docs/decisions/029-generic-types.md", 0},
	{"docs/decisions/030-tags-and-references.md", 0},
	{"docs/decisions/031-loops-against-one-shots.md", 0},
	{"docs/decisions/032-exchanges-of-virtual-voices.md", 0},
	{"docs/decisions/033-scores-through-filters.md", 0},
	{"docs/decisions/034-measures-of-losses.md", 0},
	{"docs/decisions/035-losses-by-policy.md", 0},
	{"docs/decisions/036-other-scores-and-faults.md", 0},
	{"docs/sounds.md", 0},
	{"docs/explain.md", 0},
	{"docs/realtime.md", 0},
	{"docs/releasing.md", 0},
	{"docs/resampling.md", 0},
	{"docs/pool.md", 0},
	{"CONTRIBUTING.md", 0},
	{"SECURITY.md", 0},
	{"CHANGELOG.md", 0},
}

const (
	longSentence = 40  // words
	longLine     = 100 // characters, of prose and of code
)

// part is a section of a page: prose, a table, or a block of code.
type part struct {
	language string // of a block, the text after the fence; otherwise empty
	block    bool
	first    int // number of its first line
	lines    []string
}

func (p part) text() string { return strings.Join(p.lines, "\n") + "\n" }

// readPage splits a page into parts.
func readPage(t testing.TB, file string) []part {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var parts []part
	now := part{first: 1}
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if language, fence := strings.CutPrefix(line, "```"); fence {
			parts = append(parts, now)
			now = part{first: i + 2, block: !now.block, language: language}
			if !now.block {
				now.language = ""
			}
			continue
		}
		now.lines = append(now.lines, line)
	}
	if now.block {
		t.Errorf("%s:%d: the block of code has no end", file, now.first)
	}
	return append(parts, now)
}

// blocks returns the blocks of a language on all pages, by file and line.
func blocks(t testing.TB, language string) map[string]part {
	t.Helper()
	found := map[string]part{}
	for _, page := range pages {
		for _, p := range readPage(t, page.file) {
			if p.block && p.language == language {
				found[position(page.file, p.first)] = p
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("no page has a block of %s", language)
	}
	return found
}

// TestPagesAreListed compares the list of pages with the folders.
func TestPagesAreListed(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		file = filepath.ToSlash(file)
		if !slices.ContainsFunc(pages, func(p struct {
			file string
			long int
		}) bool {
			return p.file == file
		}) {
			t.Errorf("%s is not among the pages that are tested", file)
		}
	}
}

// link matches the target of a link or a picture, target a file named as code.
var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	target   = regexp.MustCompile("`((?:\\.?[\\w-]+/)+[\\w.-]+\\.(?:go|md|yaml|svg)|\\.ci/[\\w/-]+)`")
	tableRow = regexp.MustCompile(`^\|`)
)

// presentText returns a line of a page without the names of the past: in the changelog, the first cell of a row.
func presentText(file, line string) string {
	if file == "CHANGELOG.md" && tableRow.MatchString(line) {
		_, line, _ = strings.Cut(line[1:], "|")
	}
	return line
}

// TestPageLinks checks the links between pages and the files that they name.
func TestPageLinks(t *testing.T) {
	anchors := map[string][]string{}
	for _, page := range pages {
		for _, p := range readPage(t, page.file) {
			for _, line := range p.lines {
				if !p.block && strings.HasPrefix(line, "#") {
					anchors[page.file] = append(anchors[page.file], slug(line))
				}
			}
		}
	}
	followed := 0
	for _, page := range pages {
		for _, p := range readPage(t, page.file) {
			if p.block {
				continue
			}
			for i, line := range p.lines {
				at := position(page.file, p.first+i)
				for _, m := range target.FindAllStringSubmatch(line, -1) {
					if _, err := os.Stat(m[1]); err != nil {
						t.Errorf("%s: there is no file %s", at, m[1])
					}
				}
				for _, m := range link.FindAllStringSubmatch(line, -1) {
					if strings.Contains(m[1], "://") {
						continue
					}
					followed++
					file, anchor, _ := strings.Cut(m[1], "#")
					where := page.file
					if file != "" {
						where = filepath.ToSlash(filepath.Join(filepath.Dir(page.file), file))
					}
					if _, err := os.Stat(where); err != nil {
						t.Errorf("%s: the link to %s leads nowhere", at, m[1])
					} else if anchor != "" && !slices.Contains(anchors[where], anchor) {
						t.Errorf("%s: %s has no heading #%s", at, where, anchor)
					}
				}
			}
		}
	}
	if followed < len(pages) {
		t.Errorf("only %d links were found on %d pages", followed, len(pages))
	}
}

// slug returns the anchor of a heading.
func slug(heading string) string {
	heading = strings.ToLower(strings.TrimSpace(strings.TrimLeft(heading, "#")))
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		}
		return -1
	}, heading)
}

// TestPageLines checks the length of lines of prose and code, except tables, output of programs, and
// generated text between markers.
func TestPageLines(t *testing.T) {
	for _, page := range pages {
		made := false
		for _, p := range readPage(t, page.file) {
			if p.language == "console" {
				continue // output of programs may have any width
			}
			for i, line := range p.lines {
				made = made && line != "<!-- /peers -->" || line == "<!-- peers -->"
				alone := !strings.Contains(strings.TrimSpace(line), " ") || strings.HasPrefix(line, "![")
				if n := utf8.RuneCountInString(line); n > longLine && !made && !alone && !tableRow.MatchString(line) {
					t.Errorf("%s: the line has %d characters, want at most %d", position(page.file, p.first+i), n, longLine)
				}
				if strings.TrimRight(line, " \t") != line {
					t.Errorf("%s: the line ends in a space", position(page.file, p.first+i))
				}
			}
		}
	}
}

// TestPageSentences counts sentences longer than longSentence.
func TestPageSentences(t *testing.T) {
	for _, page := range pages {
		var long []string
		counted := 0
		for at, sentence := range sentences(t, page.file) {
			counted++
			if n := len(strings.Fields(sentence)); n > longSentence {
				long = append(long, at+": "+sentence)
			}
		}
		if short := strings.HasPrefix(page.file, "docs/decisions/"); counted < 10 && !short || counted < 3 {
			t.Errorf("%s: only %d sentences were found", page.file, counted)
		}
		if len(long) > page.long {
			slices.Sort(long)
			t.Errorf("%s: %d sentences have more than %d words, want at most %d:\n%s",
				page.file, len(long), longSentence, page.long, strings.Join(long, "\n"))
		}
	}
}

var (
	code    = regexp.MustCompile("`[^`]*`")
	address = regexp.MustCompile(`\]\([^)]*\)`)
	item    = regexp.MustCompile(`^\s*(?:[-*]|\d+\.)\s+`)
	stop    = regexp.MustCompile(`[.?!]["”)*]*\s+`)
)

// sentences returns the sentences of a page by their place. A code span is one word. A cell of a table is a
// separate paragraph.
func sentences(t testing.TB, file string) map[string]string {
	found := map[string]string{}
	add := func(at, paragraph string) {
		paragraph = code.ReplaceAllString(address.ReplaceAllString(paragraph, ""), "code")
		for i, s := range stop.Split(paragraph, -1) {
			if strings.TrimSpace(s) != "" {
				found[at+"/"+string(rune('a'+i%26))+strings.Repeat("'", i/26)] = strings.TrimSpace(s)
			}
		}
	}
	made := false
	for _, p := range readPage(t, file) {
		if p.block {
			continue
		}
		paragraph, first := "", 0
		end := func() {
			if paragraph != "" {
				add(position(file, first), paragraph)
			}
			paragraph = ""
		}
		for i, line := range p.lines {
			made = made && line != "<!-- /peers -->" || line == "<!-- peers -->"
			switch {
			case made, strings.HasPrefix(line, "#"), strings.HasPrefix(line, "!["), strings.HasPrefix(line, "<!--"), line == "":
				end()
			case tableRow.MatchString(line):
				end()
				for j, cell := range strings.Split(line, "|") {
					add(position(file, p.first+i)+string(rune('A'+j)), cell)
				}
			default:
				if item.MatchString(line) {
					end()
				}
				if paragraph == "" {
					first = p.first + i
				}
				paragraph += " " + strings.TrimSpace(item.ReplaceAllString(line, ""))
			}
		}
		end()
	}
	return found
}

// TestPagesNameTests checks that the tests, benchmarks and fuzz targets named on pages exist. A name may be a
// prefix, as for -run.
func TestPagesNameTests(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)[A-Z]\w*)\(`)
	var known []string
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := os.ReadFile(file)
		for _, m := range declared.FindAllStringSubmatch(string(source), -1) {
			known = append(known, m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, page := range pages {
		for _, p := range readPage(t, page.file) {
			if p.language == "go" || p.language == "python" {
				continue
			}
			for i, line := range p.lines {
				for _, name := range regexp.MustCompile(`\b(?:Test|Benchmark|Fuzz)[A-Z]\w*`).FindAllString(line, -1) {
					named++
					if !slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, name) }) {
						t.Errorf("%s: there is no test called %s", position(page.file, p.first+i), name)
					}
				}
			}
		}
	}
	if named < 10 {
		t.Errorf("only %d names of tests were found", named)
	}
}
