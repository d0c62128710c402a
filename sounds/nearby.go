package sounds

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// mostEntries bounds how many files of a folder are compared with a name.
const mostEntries = 10_000

// nearby returns what to add to the error of a file that is not there: the file whose path differs only in
// case, in slashes, or in how its accents are encoded; empty: there is none.
func (s Source) nearby() string {
	list := func(dir string) ([]fs.DirEntry, error) {
		if s.FS != nil {
			return fs.ReadDir(s.FS, path.Clean(dir))
		}
		f, err := os.Open(filepath.FromSlash(dir))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return f.ReadDir(mostEntries)
	}
	asked := strings.ReplaceAll(filepath.ToSlash(s.File), `\`, "/")
	found := ""
	if strings.HasPrefix(asked, "/") {
		found = "/"
	}
	for name := range strings.SplitSeq(strings.Trim(asked, "/"), "/") {
		if name == "." || name == ".." {
			found = path.Join(found, name)
			continue
		}
		entries, _ := list(path.Join(".", found)) // as far as it can be read
		if strings.HasPrefix(found, "/") {
			entries, _ = list(found)
		}
		same := ""
		for _, e := range entries {
			if e.Name() == name {
				same = name
				break
			}
			if same == "" && spelling(e.Name()) == spelling(name) {
				same = e.Name()
			}
		}
		if same == "" {
			return ""
		}
		found = path.Join(found, same)
	}
	switch was := filepath.ToSlash(s.File); {
	case path.Clean(was) == found:
		return ""
	case path.Clean(asked) == found:
		return fmt.Sprintf("the file %q is there: write slashes", found)
	case strings.EqualFold(path.Clean(asked), found):
		return fmt.Sprintf("the file %q is there, which differs in upper and lower case", found)
	}
	return fmt.Sprintf("the file %+q is there, which differs in how its accents are encoded (Unicode NFC or NFD)", found)
}

// accented are the lower-case letters with one accent that have a letter without it, by their ranges.
var accented = [...]struct {
	from, to rune
	letter   rune
}{
	{0xe0, 0xe5, 'a'}, {0xe7, 0xe7, 'c'}, {0xe8, 0xeb, 'e'}, {0xec, 0xef, 'i'}, {0xf1, 0xf1, 'n'}, {0xf2, 0xf6, 'o'}, {0xf9, 0xfc, 'u'},
	{0xfd, 0xfd, 'y'}, {0xff, 0xff, 'y'}, {0x101, 0x105, 'a'}, {0x107, 0x10d, 'c'}, {0x10f, 0x10f, 'd'}, {0x113, 0x11b, 'e'},
	{0x11d, 0x123, 'g'}, {0x125, 0x125, 'h'}, {0x129, 0x12f, 'i'}, {0x135, 0x135, 'j'}, {0x137, 0x137, 'k'}, {0x13a, 0x13e, 'l'},
	{0x144, 0x148, 'n'}, {0x14d, 0x151, 'o'}, {0x155, 0x159, 'r'}, {0x15b, 0x161, 's'}, {0x163, 0x165, 't'}, {0x169, 0x173, 'u'},
	{0x175, 0x175, 'w'}, {0x177, 0x177, 'y'}, {0x17a, 0x17e, 'z'},
}

// spelling returns a name in lower case, with its accents behind their letters: it is equal for names that
// look alike. It splits the letters of European languages.
func spelling(name string) string {
	var b strings.Builder
	for _, r := range name {
		r = unicode.ToLower(r)
		if unicode.Is(unicode.Mn, r) {
			b.WriteByte('\'')
			continue
		}
		for _, a := range accented {
			if a.from <= r && r <= a.to {
				b.WriteRune(a.letter)
				r = '\''
				break
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}
