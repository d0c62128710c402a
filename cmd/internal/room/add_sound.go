package room

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/whole"
	"voicepool/internal/words"
	"voicepool/internal/yaml"
	"voicepool/sounds"
)

// soundName is what a sound that is taken in may be called.
var soundName = regexp.MustCompile(`^[a-zA-Z0-9_-][a-zA-Z0-9_.-]{0,63}$`)

// uploadEnding is that of a file that is not complete yet.
const uploadEnding = ".upload"

// endings are those of files, by their formats.
var endings = map[string]string{"wav": ".wav", "aiff": ".aiff", "flac": ".flac", "oggflac": ".oga", "vorbis": ".ogg", "opus": ".opus", "mp3": ".mp3"}

// AddSound takes a sound into the room's folder, decoded under the limits, and into the sheet where that has
// none of this name. One that was taken in before is replaced: what plays goes on with the old one. A sound
// of the sheet that has another file is not, nor is a file of another sound: that is an *Error of Kind
// Refused. While the data comes, the room can be changed and ended.
func (r *Room) AddSound(ctx context.Context, name string, data io.Reader) (Sound, *sounds.Info, error) {
	if !soundName.MatchString(name) {
		return Sound{}, nil, wrong("name", "%q is no name of a sound: it takes 1 to 64 of a-z, A-Z, 0-9, _, - and ., no . first", words.OneLine(name))
	}
	switch {
	case r.ended():
		return Sound{}, nil, errClosed
	case r.uploads() == "":
		return Sound{}, nil, &Error{Kind: Refused, Field: "name", Reason: "no folder", Detail: "the room has no folder of its own, so it takes no sounds"}
	}
	if err := os.MkdirAll(r.uploads(), 0o700); err != nil {
		return Sound{}, nil, err
	}
	folder, err := os.OpenRoot(r.uploads())
	if err != nil {
		return Sound{}, nil, err
	}
	defer folder.Close()
	part, err := whole.Create(filepath.Join(r.uploads(), "."+name), uploadEnding)
	if err != nil {
		return Sound{}, nil, err
	}
	defer part.Discard()
	info, err := r.decode(ctx, name, part, data) // as slowly as it comes: nothing waits for it
	if err != nil {
		return Sound{}, nil, err
	}
	r.changes.Lock()
	defer r.changes.Unlock()
	if r.ended() {
		return Sound{}, nil, errClosed
	}
	text, file, err := r.textWith(name, name+endings[info.Format])
	if err != nil {
		return Sound{}, nil, err
	}
	info.File = file
	old, err := folder.Lstat(file)
	if err == nil && !old.Mode().IsRegular() {
		return Sound{}, nil, &Error{Kind: Refused, Field: "name", Reason: "taken", Detail: fmt.Sprintf("name: %q is no regular file in the room's folder", file)}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Sound{}, nil, err
	}
	if err := part.Keep(); err != nil {
		return Sound{}, nil, err
	}
	if err := folder.Rename("."+name, file); err != nil {
		return Sound{}, nil, errors.Join(err, folder.Remove("."+name))
	}
	if err := whole.SyncFolder(r.uploads()); err != nil {
		return Sound{}, nil, err
	}
	if err := r.change(ctx, text); err != nil {
		if old == nil { // no sheet names it
			err = errors.Join(err, folder.Remove(file))
		}
		return Sound{}, nil, err
	}
	one := Sound{Sound: name, Seconds: info.Seconds}
	for _, s := range r.State().Sounds {
		if s.Sound == name {
			one = s
		}
	}
	return one, info, nil
}

// uploads returns the folder that takes sounds; empty: there is none.
func (r *Room) uploads() string {
	if r.options.Free {
		return r.options.Uploads
	}
	return r.options.Folder
}

// named returns how the sheet calls a file of that folder.
func (r *Room) named(file string) string {
	if r.options.Free {
		return filepath.Join(r.options.Uploads, file)
	}
	return file
}

// taken returns the file of that folder that a sound is from, whatever its format was; false: it is none.
func (r *Room) taken(name string, files []rules.File) (file string, ok bool) {
	if len(files) != 1 {
		return "", false
	}
	file = filepath.Base(files[0].Path)
	return file, files[0].Path == r.named(file) && strings.TrimSuffix(file, filepath.Ext(file)) == name
}

// decode takes in a file, and returns what it is.
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
		return nil, &Error{Kind: Limit, Field: "body", Limit: most, Detail: fmt.Sprintf("the file is longer than %d bytes, which is the most", most)}
	}
	if err := part.Sync(); err != nil { // what survives a restart may name it
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

// textWith returns the text of the sheet with a sound of a file in it, and the file: that of the sound
// where one was taken in before, since files are known by their content.
func (r *Room) textWith(name, file string) ([]byte, string, error) {
	text := r.Text()
	s := r.Sheet()
	for i := range s.Sounds {
		one := &s.Sounds[i]
		if one.Name != name {
			continue
		}
		if was, ok := r.taken(name, one.Files); ok {
			return text, was, nil
		}
		return nil, "", &Error{Kind: Refused, Field: "name", Reason: "taken", Detail: fmt.Sprintf("name: the sheet has a sound %q that is not from the file %s; take another name", name, file)}
	}
	for i := range s.Sounds {
		for _, f := range s.Sounds[i].Files {
			if filepath.Clean(f.Path) == filepath.Clean(r.named(file)) {
				return nil, "", &Error{Kind: Refused, Field: "name", Reason: "taken", Detail: fmt.Sprintf("name: the file %s is that of the sound %q; take another name", file, s.Sounds[i].Name)}
			}
		}
	}
	root, broken := yaml.Read(text, "sheet")
	if broken != nil {
		return nil, "", &Error{Kind: Refused, Field: "sheet", Reason: "sheet", Detail: broken.Error()}
	}
	entry := fmt.Sprintf("%s: {file: %s}", strconv.Quote(name), strconv.Quote(r.named(file)))
	with := enter(string(text), root, entry)
	parsed, err := r.read([]byte(with))
	if err == nil {
		for _, one := range soundsOf(parsed) {
			if one == name {
				return []byte(with), file, nil
			}
		}
	}
	return nil, "", &Error{Kind: Refused, Field: "sheet", Reason: "sheet", Detail: fmt.Sprintf("sheet: there is no place in its text for a sound; give it %q by hand", "sounds: {"+entry+"}")}
}

// enter puts an entry at the head of the sounds of a text.
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

// within puts an entry behind a bracket.
func within(text string, at int, entry string, more bool) string {
	if more {
		entry += ", "
	}
	return text[:at+1] + entry + text[at+1:]
}
