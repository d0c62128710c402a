package library

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// Limits of the search for files with similar names.
const (
	maxDirEntries   = 10_000 // entries per folder
	maxPathElements = 32     // folders per path
	maxSearches     = 20     // missing files per library
)

// withSimilarName improves the error err of the missing file src. If a file with a similar name exists, the result
// wraps the cause of err and names that file. Otherwise, and if err does not wrap fs.ErrNotExist, it returns err
// unchanged.
//
// A sheet may name thousands of missing files, so only the first 20 of a library are searched for. Each call for a
// missing file increases l.similarSearches, under the mutex.
func (l *Library) withSimilarName(src Source, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l.mu.Lock()
	l.similarSearches++
	search := l.similarSearches <= maxSearches
	l.mu.Unlock()
	if !search {
		return err
	}
	near := src.similarFile()
	if near == "" {
		return err
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err // the caller adds the name
	}
	return fmt.Errorf("%w; %s", err, near)
}

// entries returns the entries of the folder dir, a path with slashes, in s.FS. If FS is nil, the folder is in the
// operating system. The result has at most 10,000 entries, in no particular order. It is nil if dir cannot be read or
// is not a folder.
func (s Source) entries(dir string) []fs.DirEntry {
	var f fs.File
	var err error
	if s.FS != nil {
		f, err = s.FS.Open(path.Clean(dir))
	} else if dir = filepath.FromSlash(dir); (Source{File: dir}).mode().IsDir() { // opening a pipe would block
		f, err = os.Open(dir)
	}
	if f == nil || err != nil {
		return nil
	}
	defer f.Close()
	folder, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil
	}
	list, _ := folder.ReadDir(maxDirEntries)
	return list
}

// similarFile searches for a file whose path differs from s.File only in upper and lower case, in backslashes for
// slashes, or in the Unicode encoding of accents. It compares the path folder by folder. It returns a phrase for an
// error message, which names the file and the difference. The result is "" if no such file exists, if a file with
// exactly this path exists, or if the path has more than 32 elements. Only 10,000 entries of a folder are compared.
func (s Source) similarFile() string {
	asked := strings.ReplaceAll(filepath.ToSlash(s.File), `\`, "/")
	found := ""
	if strings.HasPrefix(asked, "/") {
		found = "/"
	}
	elements := strings.Split(strings.Trim(asked, "/"), "/")
	if len(elements) > maxPathElements {
		return ""
	}
	for _, name := range elements {
		if name == "." || name == ".." {
			found = path.Join(found, name)
			continue
		}
		folder := cmp.Or(found, ".")
		same, wanted := "", spelling(name)
		for _, e := range s.entries(folder) {
			if e.Name() == name {
				same = name
				break
			}
			if same == "" && spelling(e.Name()) == wanted {
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

// accented lists the ranges of lower-case letters with one accent, each with its base letter.
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

// spelling returns a key for comparing file names. Names that differ only in case or in the Unicode encoding of
// accents have equal keys. The key is name in lower case, with an apostrophe after the base letter in place of each
// accent. It covers the precomposed letters of European languages.
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
