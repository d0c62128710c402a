package blobstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"voicepool/bank/rules"
	"voicepool/internal/words"
)

// Limits of a bundle. Real sheets stay far below.
const (
	maxFiles = 10_000
	maxText  = 16 << 20 // the limit of a sheet
	maxJSON  = 40 << 20
	maxBytes = 64 << 30 // of all files
	maxUp    = 32       // levels above the sheet's folder
	maxPath  = 4096
)

// Bundle is a sheet with all files that it plays. The same content gives the same bundle, whatever
// its folder.
type Bundle struct {
	Name  string            `json:"name"`            // base name of the sheet's file
	Text  []byte            `json:"text"`            // of the sheet
	Files map[string]string `json:"files,omitempty"` // content hashes by path, as written in the sheet
}

// Pack stores a sheet together with all files that it plays. It also stores a bundle, a list of these files, and
// returns the hash of the bundle. Another machine needs only that hash to unpack the files. r has the parsed rules of
// the sheet, text is its content, and name the name of its file. The function open opens a file by its path in the
// sheet.
//
// Files that cannot be opened or read, and paths that a bundle may not contain, are reported together as rules.Errors
// with their places in the sheet. Any other error ends Pack at once: an error of the store, a file that is not a
// regular file, a limit of a bundle that is exceeded, or the end of ctx. Files that were stored before stay.
func (d *Store) Pack(ctx context.Context, r *rules.Rules, text []byte, name string, open func(path string) (io.ReadCloser, error)) (sum string, err error) {
	b := &Bundle{Name: name, Text: text, Files: map[string]string{}}
	var wrong rules.Errors
	fail := func(f rules.File, msg string, err error) {
		wrong = append(wrong, &rules.Error{File: r.File, Line: f.Line, Column: f.Column, Msg: words.OneLine(f.Path) + ": " + msg, Sound: err})
	}
	for i := range r.Sounds {
		for _, f := range r.Sounds[i].Files {
			if f.Path == "" || b.Files[f.Path] != "" {
				continue
			}
			if path.IsAbs(f.Path) || filepath.IsAbs(filepath.FromSlash(f.Path)) {
				fail(f, "is an absolute path; write it relative to the sheet's folder", nil)
				continue
			}
			if err := checkPath(f.Path); err != nil {
				fail(f, err.Error(), nil)
				continue
			}
			sum, err := d.Put(ctx, func() (io.ReadCloser, error) { return open(f.Path) })
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			if _, ofFile := errors.AsType[*os.PathError](err); ofFile {
				fail(f, words.Cause(err).Error(), err)
				continue
			}
			if err != nil {
				return "", fmt.Errorf("%s: %w", words.OneLine(f.Path), err)
			}
			b.Files[f.Path] = sum
		}
	}
	if wrong != nil {
		return "", wrong
	}
	if _, err := b.plan(); err != nil {
		return "", fmt.Errorf("%s: %w", words.OneLine(r.File), err)
	}
	data, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	return d.PutBytes(ctx, data)
}

// Bundle loads the list of a sheet and its files that Pack has stored. sum is the hash that Pack has returned. The
// files themselves are not loaded. If the bundle is missing, the error wraps ErrMissing. An invalid bundle is another
// error.
func (d *Store) Bundle(ctx context.Context, sum string) (*Bundle, error) {
	data, err := d.read(ctx, sum, maxJSON)
	if err != nil {
		return nil, fmt.Errorf("the bundle %w", err)
	}
	b := &Bundle{}
	if err := json.Unmarshal(data, b); err != nil {
		return nil, fmt.Errorf("invalid bundle %s: %w", sum, err)
	}
	if _, err := b.plan(); err != nil {
		return nil, fmt.Errorf("the bundle %s: %w", sum, err)
	}
	return b, nil
}

// Unpack writes the sheet of b and its files into folder, so that the paths in the sheet lead to the files. folder must
// exist and be empty. The result is the path of the sheet. The sheet is in a subfolder if a path in it leads upwards.
//
// If a file is not stored, the error wraps ErrMissing. More than 64 GiB of files are an error, too; files in the cache
// do not count. After an error, some files may be written already.
func (d *Store) Unpack(ctx context.Context, b *Bundle, folder string) (sheet string, err error) {
	p, err := b.plan()
	if err != nil {
		return "", err
	}
	there, err := os.ReadDir(folder)
	if err == nil && len(there) > 0 {
		err = errors.New("is not empty")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", words.OneLine(folder), words.Cause(err))
	}
	if err := d.checkSize(ctx, p); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	sheet = filepath.FromSlash(p.sheet)
	if err := root.MkdirAll(filepath.Dir(sheet), 0o700); err != nil {
		return "", err
	}
	if err := root.WriteFile(sheet, b.Text, 0o600); err != nil {
		return "", err
	}
	for _, one := range p.files {
		at := filepath.FromSlash(one.at)
		if err := root.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return "", err
		}
		// All folders below are new, and plan allows no path that leads out.
		if err := d.Get(ctx, one.sum, filepath.Join(folder, at)); err != nil {
			return "", err
		}
	}
	return filepath.Join(folder, sheet), nil
}

// checkSize returns an error if the files of p have more than 64 GiB together. Equal files count once, and files in the
// cache do not count. A file that is not stored is an error, too.
func (d *Store) checkSize(ctx context.Context, p *plan) error {
	remaining, seen := int64(maxBytes), map[string]bool{}
	for _, one := range p.files {
		if seen[one.sum] || d.cache != nil && d.cache.has(one.sum) {
			continue
		}
		seen[one.sum] = true
		size, err := d.Size(ctx, one.sum)
		if err != nil {
			return err
		}
		if remaining -= size; remaining < 0 {
			return fmt.Errorf("the files of %s are larger than %d GiB together", words.OneLine(p.sheet), int64(maxBytes)>>30)
		}
	}
	return nil
}

// plan lists the places of a bundle's parts: slash-separated paths below the folder.
type plan struct {
	sheet string
	files []plannedFile
}

// plannedFile is one file of a plan.
type plannedFile struct{ at, sum string }

// plan checks the bundle, which may come from an untrusted sender. It returns the paths for the sheet and the files
// below the folder of Unpack. Errors are an invalid name, hash or path, more than 10,000 files, a sheet of more than 16
// MiB, and two different files with the same path. The sizes of the files are not checked.
func (b *Bundle) plan() (*plan, error) {
	switch {
	case b.Name == "" || b.Name == "." || b.Name == ".." || len(b.Name) > 255 || strings.ContainsAny(b.Name, "/\\\x00") || !filepath.IsLocal(b.Name):
		return nil, fmt.Errorf("invalid file name %q of a sheet", words.OneLine(b.Name[:min(len(b.Name), 80)]))
	case len(b.Text) > maxText:
		return nil, fmt.Errorf("the sheet has %d bytes; at most %d are read", len(b.Text), maxText)
	case len(b.Files) > maxFiles:
		return nil, fmt.Errorf("%d files are more than the %d that a bundle may have", len(b.Files), maxFiles)
	}
	up, parts := 0, map[string]bool{}
	for name, sum := range b.Files {
		if err := checkPath(name); err != nil {
			return nil, fmt.Errorf("%s: %w", words.OneLine(name[:min(len(name), 80)]), err)
		}
		if err := CheckSum(sum); err != nil {
			return nil, fmt.Errorf("%s: %w", words.OneLine(name), err)
		}
		n := 0
		for part := range strings.SplitSeq(path.Clean(name), "/") {
			if parts[strings.ToLower(part)] = true; part == ".." {
				n++
			}
		}
		up = max(up, n)
	}
	deep := "sheet" // a name that occurs in no path, so that no other path can reach the same file
	for parts[deep] {
		deep += "_"
	}
	below := strings.Repeat(deep+"/", up)
	p := &plan{sheet: below + b.Name}
	taken := map[string]string{p.sheet: "the sheet"}
	for _, name := range slices.Sorted(maps.Keys(b.Files)) {
		sum, at := b.Files[name], path.Join(below, name)
		if other, there := taken[at]; there {
			if other == sum {
				continue
			}
			return nil, fmt.Errorf("%s: another file has the same path", words.OneLine(name))
		}
		taken[at] = sum
		p.files = append(p.files, plannedFile{at, sum})
	}
	return p, nil
}

// checkPath returns an error unless name is a path that a bundle may contain. The path must be relative to the folder
// of the sheet, and have 1 to 4,096 bytes of UTF-8 without NUL. It may lead at most 32 folders up. It must not be a
// folder such as "." or "..".
func checkPath(name string) error {
	clean := path.Clean(name)
	ups := 0
	for strings.HasPrefix(clean[min(len(clean), 3*ups):], "../") {
		ups++
	}
	rest := clean[min(len(clean), 3*ups):]
	switch {
	case name == "" || len(name) > maxPath || !utf8.ValidString(name) || strings.ContainsRune(name, 0):
		return fmt.Errorf("is not a path (want 1 to %d bytes of UTF-8, without NUL)", maxPath)
	case rest == ".." || rest == "." || !filepath.IsLocal(filepath.FromSlash(rest)):
		return errors.New("is not a path relative to the sheet's folder")
	case ups > maxUp:
		return fmt.Errorf("leads %d folders up; at most %d are allowed", ups, maxUp)
	}
	return nil
}
