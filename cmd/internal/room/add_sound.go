package room

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"voicepool/bank/rules"
	"voicepool/internal/whole"
	"voicepool/internal/words"
	"voicepool/internal/yaml"
	"voicepool/sounds"
)

// longestFile is the longest accepted file name, in bytes.
const longestFile = 255

// fileName reports whether a name is valid for an uploaded sound and its file.
func fileName(name string) bool {
	return name != "" && len(name) <= longestFile && name[0] != '.' && utf8.ValidString(name) && !strings.ContainsAny(name, `/\`) && !strings.ContainsFunc(name, unicode.IsControl)
}

// CheckFile returns an error for a name that AddSound rejects.
func CheckFile(name string) error {
	if fileName(name) {
		return nil
	}
	return wrong("name", "invalid file name %q: want 1 to %d bytes of UTF-8 without /, \\, control characters and a leading dot", words.OneLine(name), longestFile)
}

// uploadEnding is the extension of an incomplete file.
const uploadEnding = ".upload"

// arriving is the temporary name of a complete file.
const arriving = ".arriving"

// AddSound stores a sound under its name in the room's folder. The data is decoded under the limits. Sounds
// of the sheet that use this file play the new data from then on; playing voices continue with the old. If
// the sheet has no such sound, one with that name is added. AddSound returns the sound of the sheet. A sound
// of this name with another file, or a file in the sheet's own folder, is an *Error of Kind Refused. During
// the upload the room can be changed and ended. After an error the room and its folder are unchanged.
func (r *Room) AddSound(ctx context.Context, name string, data io.Reader) (Sound, *sounds.Info, error) {
	if err := CheckFile(name); err != nil {
		return Sound{}, nil, err
	}
	switch {
	case r.ended():
		return Sound{}, nil, errClosed
	case r.uploads() == "":
		return Sound{}, nil, &Error{Kind: Refused, Field: "name", Reason: "no folder", Detail: "the room has no folder for uploaded sounds"}
	}
	if err := os.MkdirAll(r.uploads(), 0o700); err != nil {
		return Sound{}, nil, err
	}
	folder, err := os.OpenRoot(r.uploads())
	if err != nil {
		return Sound{}, nil, err
	}
	defer folder.Close()
	part, err := whole.Create(filepath.Join(r.uploads(), arriving), uploadEnding)
	if err != nil {
		return Sound{}, nil, err
	}
	defer part.Discard()
	info, err := r.decode(ctx, name, part, data) // without a lock, because the data may arrive slowly
	if err != nil {
		return Sound{}, nil, err
	}
	r.changes.Lock()
	defer r.changes.Unlock()
	if r.ended() {
		return Sound{}, nil, errClosed
	}
	text, sound, file, err := r.textWith(name)
	if err != nil {
		return Sound{}, nil, err
	}
	info.File = file
	if err := r.replaceFile(ctx, folder, part, file, text); err != nil {
		return Sound{}, nil, err
	}
	one := Sound{Sound: sound, Seconds: info.Seconds}
	for _, s := range r.State().Sounds {
		if s.Sound == sound {
			one = s
		}
	}
	return one, info, nil
}

// replaced is the temporary name of a replaced file, until the room uses the new one.
const replaced = ".replaced"

// replaceFile gives the complete file part its final name in folder and applies the sheet text that uses it.
// After an error the old file, if any, has its name again.
func (r *Room) replaceFile(ctx context.Context, folder *os.Root, part *whole.File, file string, text []byte) error {
	old, err := folder.Lstat(file)
	if err == nil && !old.Mode().IsRegular() {
		return &Error{Kind: Refused, Field: "name", Reason: "taken", Detail: fmt.Sprintf("name: %q is not a regular file in the room's folder", file)}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := part.Keep(); err != nil {
		return err
	}
	if old != nil {
		if err := preserve(folder, file, old.Mode().Perm(), folder.Link); err != nil {
			return errors.Join(err, folder.Remove(arriving))
		}
	}
	err = folder.Rename(arriving, file)
	if err == nil {
		err = whole.SyncFolder(r.uploads())
	}
	if err == nil {
		was := r.Text()
		if err = r.change(ctx, text); err != nil && old != nil { // load the old file again
			defer func() { _ = r.apply(context.WithoutCancel(ctx), was) }()
		}
	}
	switch {
	case err == nil && old != nil:
		_ = folder.Remove(replaced) // on an error the next upload removes it
	case err != nil && old != nil:
		err = errors.Join(err, folder.Rename(replaced, file))
	case err != nil:
		if gone := folder.Remove(file); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	if err != nil {
		_ = folder.Remove(arriving)
	}
	return err
}

// preserve gives a file the additional name replaced. The file keeps its own name all the time, so that a
// crash does not lose it. The argument link is Root.Link. If it fails, as on a file system without hard
// links, preserve copies the file with mode.
func preserve(folder *os.Root, file string, mode fs.FileMode, link func(from, to string) error) (err error) {
	_ = folder.Remove(replaced)
	if link(file, replaced) == nil {
		return nil
	}
	from, err := folder.Open(file)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := folder.OpenFile(replaced, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err != nil {
		_ = folder.Remove(replaced)
	}
	return err
}

// uploads returns the folder for uploaded sounds, or "" if the room accepts no uploads.
func (r *Room) uploads() string {
	if r.options.Free {
		return r.options.Uploads
	}
	return r.options.Folder
}

// named returns the path of an uploaded file as the sheet writes it: absolute in a Free room, otherwise only
// the name of the file.
func (r *Room) named(file string) string {
	if r.options.Free {
		return filepath.Join(r.options.Uploads, file)
	}
	return file
}

// taken returns the name of the uploaded file of a sound, regardless of its format. files are the sound's
// files in the sheet. ok is false if they are not exactly one upload of this name.
func (r *Room) taken(name string, files []rules.File) (file string, ok bool) {
	if len(files) != 1 {
		return "", false
	}
	file = filepath.Base(files[0].Path)
	return file, files[0].Path == r.named(file) && strings.TrimSuffix(file, filepath.Ext(file)) == name
}

// decode copies data to part, decodes it and returns its properties. Data that is too long or not a valid
// sound is an *Error.
func (r *Room) decode(ctx context.Context, name string, part *whole.File, data io.Reader) (*sounds.Info, error) {
	most := r.options.Limits.Bytes
	if most <= 0 {
		most = 256 << 20
	}
	n, err := io.Copy(part, io.LimitReader(data, most+1))
	if err != nil {
		return nil, err
	}
	if n > most {
		return nil, &Error{Kind: Limit, Field: "body", Limit: most, Detail: fmt.Sprintf("the file is larger than the limit of %d bytes", most)}
	}
	if err := part.Sync(); err != nil { // a sheet that survives a restart may refer to it
		return nil, err
	}
	if _, err := part.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	clip, err := sounds.Decode(ctx, name, part, r.options.Limits)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &Error{Kind: Range, Field: "body", Detail: words.Plain(err)}
	}
	info := sounds.Describe(clip, false)
	return &info, nil
}

// textWith returns the text of the sheet with the sound of an uploaded file added, the name of that sound,
// and the name of the file. If the sheet already has the sound, the text is unchanged. A conflict with
// another file is an *Error of Kind Refused. Sounds stored by older programs have files with an extension.
func (r *Room) textWith(name string) (text []byte, sound, file string, err error) {
	text = r.Text()
	s := r.Sheet()
	refused := func(detail string, args ...any) error {
		return &Error{Kind: Refused, Field: "name", Reason: "taken", Detail: "name: " + fmt.Sprintf(detail, args...)}
	}
	for i := range s.Sounds {
		for _, f := range s.Sounds[i].Files {
			switch path := filepath.Clean(f.Path); {
			case f.Path == "":
			case path == r.named(name):
				return text, s.Sounds[i].Name, name, nil
			case path == name && r.options.Free:
				return nil, "", "", refused("the file %s of the sound %q lies in the folder of the sheet; take another name", name, s.Sounds[i].Name)
			}
		}
	}
	for i := range s.Sounds {
		if one := &s.Sounds[i]; one.Name == name {
			if was, ok := r.taken(name, one.Files); ok {
				return text, name, was, nil
			}
			return nil, "", "", refused("the sheet has a sound %q with another file; take another name, or have it say `file: %s`", name, name)
		}
	}
	root, broken := yaml.Read(text, "sheet")
	if broken != nil {
		return nil, "", "", &Error{Kind: Refused, Field: "sheet", Reason: "sheet", Detail: broken.Error()}
	}
	entry := fmt.Sprintf("%s: {file: %s}", strconv.Quote(name), strconv.Quote(name))
	with := enter(string(text), root, entry)
	parsed, err := r.read([]byte(with))
	if err == nil {
		for _, one := range soundsOf(parsed) {
			if one == name {
				return []byte(with), name, name, nil
			}
		}
	}
	return nil, "", "", &Error{Kind: Refused, Field: "sheet", Reason: "sheet", Detail: fmt.Sprintf("sheet: the sound cannot be inserted into its text; add %q by hand", "sounds: {"+entry+"}")}
}

// enter returns a sheet text with an entry inserted at the beginning of its sounds. root is the parsed text.
// If the sounds are not a mapping, the text is returned unchanged.
func enter(text string, root *yaml.Node, entry string) string {
	var all *yaml.Node
	if root != nil {
		for i := range root.Pairs {
			if root.Pairs[i].Key == "sounds" {
				all = root.Pairs[i].Value
			}
		}
	}
	lines := strings.SplitAfter(text, "\n")
	switch {
	case all == nil && strings.HasPrefix(strings.TrimSpace(text), "{"):
		return within(text, strings.Index(text, "{"), `"sounds": {`+entry+`}`, len(root.Pairs) > 0)
	case all == nil:
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text + "sounds:\n  " + entry + "\n"
	case all.Kind != yaml.Mapping || all.Line < 1 || all.Line > len(lines):
		return text
	}
	before := len(strings.Join(lines[:all.Line-1], ""))
	line := []rune(lines[all.Line-1])
	column := min(max(all.Column-1, 0), len(line))
	if at := before + len(string(line[:column])); at < len(text) && text[at] == '{' {
		return within(text, at, entry, len(all.Pairs) > 0)
	}
	return text[:before] + strings.Repeat(" ", column) + entry + "\n" + text[before:]
}

// within inserts an entry after the opening brace at the byte offset at. more means that other entries
// follow, so that a comma is needed.
func within(text string, at int, entry string, more bool) string {
	if more {
		entry += ", "
	}
	return text[:at+1] + entry + text[at+1:]
}
