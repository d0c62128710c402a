package room

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/whole"
	"voicepool/internal/words"
	"voicepool/sounds/library"
)

// maxFileName is the longest accepted file name, in bytes.
const maxFileName = 255

// validFileName reports whether name is valid as the name of an uploaded file: 1 to 255 bytes of UTF-8 without /, \,
// control characters and a leading dot.
func validFileName(name string) bool {
	return name != "" && len(name) <= maxFileName && name[0] != '.' && utf8.ValidString(name) && !strings.ContainsAny(name, `/\`) && !strings.ContainsFunc(name, unicode.IsControl)
}

// CheckFile returns an *Error of Kind Range if name may not be the name of an uploaded file, so that AddSound would
// reject it. Otherwise it returns nil. It does not look at the disk.
func CheckFile(name string) error {
	if validFileName(name) {
		return nil
	}
	return invalidField("name", "invalid file name %q: want 1 to %d bytes of UTF-8 without /, \\, control characters and a leading dot", words.OneLine(name), maxFileName)
}

// uploadSuffix is the end of the temporary name of an incomplete upload.
const uploadSuffix = ".upload"

// arrivingName is the temporary name of a complete upload, before it gets its own name.
const arrivingName = ".arriving"

// AddSound reads a sound file from data and stores it under name in the folder for uploads, which it creates if
// necessary. If a sound of the sheet already uses this file, it plays the new data at its next start. Such an older
// file may have an extension in addition to name; it is then replaced. Otherwise AddSound adds a sound called name to
// the sheet, as Change does. It returns the sound's entry in the State and the properties of the data.
//
// An invalid name or data that cannot be decoded is an *Error of Kind Range. Data beyond Options.Limits is Kind Limit
// or Range. If the sheet has a sound called name with another file, or the room has no folder for uploads, the Kind is
// Refused. An ended room is Kind Closed. After an error, the room and the stored files are as before. Other methods,
// also Close, may be called during the upload.
func (r *Room) AddSound(ctx context.Context, name string, data io.Reader) (Sound, *library.Info, error) {
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
	part, err := whole.Create(filepath.Join(r.uploads(), arrivingName), uploadSuffix)
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
	text, sound, file, err := r.sheetTextWith(name)
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

// replacedName is a second name of the file that an upload replaces, until the room uses the new file.
const replacedName = ".replaced"

// replaceFile gives the upload part the name file in folder and switches the room to the sheet text, which uses that
// file. An old file of that name is replaced. If it is not a regular file, the error is an *Error of Kind Refused.
// Otherwise replaceFile commits part.
//
// After any other error, replaceFile restores the old file; without an old file, it removes the new one. The room then
// plays its old sheet. The caller holds the mutex r.changes.
func (r *Room) replaceFile(ctx context.Context, folder *os.Root, part *whole.File, file string, text []byte) error {
	old, err := folder.Lstat(file)
	if err == nil && !old.Mode().IsRegular() {
		return &Error{Kind: Refused, Field: "name", Reason: "taken", Detail: fmt.Sprintf("name: %q is not a regular file in the room's folder", file)}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := part.Commit(); err != nil {
		return err
	}
	if old != nil {
		if err := preserve(folder, file, old.Mode().Perm(), folder.Link); err != nil {
			return errors.Join(err, folder.Remove(arrivingName))
		}
	}
	err = folder.Rename(arrivingName, file)
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
		_ = folder.Remove(replacedName) // on an error the next upload removes it
	case err != nil && old != nil:
		err = errors.Join(err, folder.Rename(replacedName, file))
	case err != nil:
		if gone := folder.Remove(file); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	if err != nil {
		_ = folder.Remove(arrivingName)
	}
	return err
}

// preserve gives file, a file in folder, the second name in the constant replacedName, in place of an older file there.
// The file also keeps its own name, so that a crash does not lose it. link is Root.Link; tests pass another. If link
// fails, as on a file system without hard links, preserve makes a copy with the permissions mode.
func preserve(folder *os.Root, file string, mode fs.FileMode, link func(from, to string) error) (err error) {
	_ = folder.Remove(replacedName)
	if link(file, replacedName) == nil {
		return nil
	}
	from, err := folder.Open(file)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := folder.OpenFile(replacedName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err != nil {
		_ = folder.Remove(replacedName)
	}
	return err
}

// uploads returns the folder for uploaded sounds: Options.Uploads if Options.AnyFile is set, otherwise Options.Folder.
// It returns "" if the room accepts no uploads.
func (r *Room) uploads() string {
	if r.options.AnyFile {
		return r.options.Uploads
	}
	return r.options.Folder
}

// sheetPath returns the path of the uploaded file called file in the form that the parsed sheet uses. If
// Options.AnyFile is set, this is an absolute path in Options.Uploads. Otherwise it is file itself.
func (r *Room) sheetPath(file string) string {
	if r.options.AnyFile {
		return filepath.Join(r.options.Uploads, file)
	}
	return file
}

// uploadedFile reports whether a sound of the sheet has exactly one file, and this file is an upload for the sound
// called name. The parameter files lists the files of the sound. The file name without its extension must be name; a
// name with a dot therefore needs a further extension. The result file is the file name with the extension; it has no
// meaning if ok is false. uploadedFile does not look at the disk.
func (r *Room) uploadedFile(name string, files []rules.File) (file string, ok bool) {
	if len(files) != 1 {
		return "", false
	}
	file = filepath.Base(files[0].Path)
	return file, files[0].Path == r.sheetPath(file) && strings.TrimSuffix(file, filepath.Ext(file)) == name
}

// decode copies data to the file part, syncs part to the disk, and decodes it as a sound called name. It returns the
// properties of the sound.
//
// More data than Options.Limits.Bytes, by default 256 MiB, is an *Error of Kind Limit. An invalid sound is an *Error of
// Kind Range. Errors of reading data and writing part are returned unchanged. If ctx ends during decoding, decode
// returns the error of ctx.
func (r *Room) decode(ctx context.Context, name string, part *whole.File, data io.Reader) (*library.Info, error) {
	limit := r.options.Limits.Bytes
	if limit <= 0 {
		limit = 256 << 20
	}
	n, err := io.Copy(part, io.LimitReader(data, limit+1))
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, &Error{Kind: Limit, Field: "body", Limit: limit, Detail: fmt.Sprintf("the file is larger than the limit of %d bytes", limit)}
	}
	if err := part.Sync(); err != nil { // a sheet that survives a restart may refer to it
		return nil, err
	}
	if _, err := part.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	clip, err := library.Decode(ctx, name, part, r.options.Limits)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &Error{Kind: Range, Field: "body", Detail: words.Plain(err)}
	}
	info := library.Describe(clip, false)
	return &info, nil
}

// sheetTextWith returns the text of the current sheet extended by a sound called name that uses the uploaded file
// called name, the name of that sound, and the name of the file. It does not change the room. If the sheet already has
// a sound with this file, the text is unchanged, and sound is the name of that sound. file then may have an extension,
// as in sheets of older programs.
//
// The error is an *Error of Kind Refused in three cases: the sound called name has another file, a sound uses a file
// called name beside the sheet, or the sheet cannot be extended.
func (r *Room) sheetTextWith(name string) (text []byte, sound, file string, err error) {
	text = r.Text()
	s := r.Sheet()
	refused := func(detail string, args ...any) error {
		return &Error{Kind: Refused, Field: "name", Reason: "taken", Detail: "name: " + fmt.Sprintf(detail, args...)}
	}
	for i := range s.Sounds {
		for _, f := range s.Sounds[i].Files {
			switch path := filepath.Clean(f.Path); {
			case f.Path == "":
			case path == r.sheetPath(name):
				return text, s.Sounds[i].Name, name, nil
			case path == name && r.options.AnyFile:
				return nil, "", "", refused("the file %s of the sound %q lies in the folder of the sheet; take another name", name, s.Sounds[i].Name)
			}
		}
	}
	for i := range s.Sounds {
		if one := &s.Sounds[i]; one.Name == name {
			if old, ok := r.uploadedFile(name, one.Files); ok {
				return text, name, old, nil
			}
			return nil, "", "", refused("the sheet has a sound %q with another file; take another name, or have it say `file: %s`", name, name)
		}
	}
	root, broken := yaml.Read(text, "sheet")
	if broken != nil {
		return nil, "", "", &Error{Kind: Refused, Field: "sheet", Reason: "sheet", Detail: broken.Error()}
	}
	entry := fmt.Sprintf("%s: {file: %s}", strconv.Quote(name), strconv.Quote(name))
	with := insertSound(string(text), root, entry)
	parsed, err := r.parseSheet([]byte(with))
	if err == nil && slices.Contains(soundNames(parsed), name) {
		return []byte(with), name, name, nil
	}
	return nil, "", "", &Error{Kind: Refused, Field: "sheet", Reason: "sheet", Detail: fmt.Sprintf("sheet: the sound cannot be inserted into its text; add %q by hand", "sounds: {"+entry+"}")}
}

// insertSound returns the sheet text with entry inserted as the first of its sounds. The parameter entry is a line such
// as `bell: {file: bell}`, and root is the parsed text; a nil root means an empty sheet. If the sheet has no mapping
// called sounds, insertSound adds one. If sounds is not a mapping, text is returned unchanged. The result may be
// invalid, so the caller must parse it.
func insertSound(text string, root *yaml.Node, entry string) string {
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
		return insertAfterBrace(text, strings.Index(text, "{"), `"sounds": {`+entry+`}`, len(root.Pairs) > 0)
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
		return insertAfterBrace(text, at, entry, len(all.Pairs) > 0)
	}
	return text[:before] + strings.Repeat(" ", column) + entry + "\n" + text[before:]
}

// insertAfterBrace returns text with entry inserted after the opening brace at the byte offset at. If more is true,
// other entries follow, and insertAfterBrace also adds a comma.
func insertAfterBrace(text string, at int, entry string, more bool) string {
	if more {
		entry += ", "
	}
	return text[:at+1] + entry + text[at+1:]
}
