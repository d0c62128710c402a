package room

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/sounds/embedded"
)

// Open creates a room with the options o and starts to play it. If o.Resume is set, the room continues from that
// snapshot. If o.Text is nil, the room gets a sheet with one sound for each embedded sound of the program. Open also
// removes the temporary files of killed processes from the folder for uploads.
//
// The caller must Close the room. An invalid sheet or sound, or a device that cannot be found, is an *Error. If ctx
// ends during Open, Open fails. The end of ctx has no effect afterwards.
func Open(ctx context.Context, o Options) (*Room, error) {
	if o.Text == nil {
		o.Text = embeddedSheet()
	}
	o.Title = cmp.Or(o.Title, o.Name)
	for _, folder := range []*string{&o.Folder, &o.Uploads} { // hide needs absolute paths
		if *folder == "" || !o.AnyFile {
			continue
		}
		whole, err := filepath.Abs(*folder)
		if err != nil {
			return nil, err
		}
		*folder = whole
	}
	r := &Room{options: o, done: make(chan struct{})}
	r.gate.lease = o.Lease
	text := string(o.Text)
	r.text.Store(&text)
	s, err := r.parseSheet(o.Text)
	if err != nil {
		return nil, err
	}
	r.rate = s.Rate
	r.removeTemporaryFiles()
	if err := r.start(ctx, s); err != nil {
		if r.folder != nil {
			r.folder.Close()
		}
		return nil, err
	}
	return r, nil
}

// removeTemporaryFiles removes the temporary files that a killed process has left in the folder for uploads: the two of
// replaceFile, and incomplete uploads older than two hours, which no running upload writes any longer. Without such a
// folder it has no effect. Errors are ignored.
func (r *Room) removeTemporaryFiles() {
	if r.uploads() == "" {
		return
	}
	for _, name := range []string{arrivingName, replacedName} {
		os.Remove(filepath.Join(r.uploads(), name))
	}
	parts, _ := filepath.Glob(filepath.Join(r.uploads(), ".voicepool-*"+uploadSuffix)) // the pattern is valid
	for _, part := range parts {
		if info, err := os.Stat(part); err == nil && time.Since(info.ModTime()) > 2*time.Hour { // older than any running upload
			os.Remove(part)
		}
	}
}

// embeddedSheet returns the text of a sheet with one sound for each embedded sound of the program, and no cues. A sound
// loops in the sheet if the embedded sound is made for looping.
func embeddedSheet() []byte {
	var text strings.Builder
	text.WriteString("sounds:\n")
	for _, name := range embedded.Names() {
		fmt.Fprintf(&text, "  %s: {loop: %t}\n", name, embedded.IsLoop(name))
	}
	return []byte(text.String())
}

// parseSheet parses text, a sheet or a bank, and applies the options of the room to it: the result has no length, and
// Options.Voices, if set, is its number of voices. It loads no sounds. If Options.AnyFile is set, the sheet may use
// files anywhere, and findUploads looks up uploaded ones. Otherwise it may use only files in Options.Folder, see
// confineFiles.
//
// An invalid sheet is an *Error of Kind Range. A sheet with more voices than Options.VoiceLimit permits is an *Error of
// Kind Limit.
func (r *Room) parseSheet(text []byte) (*cue.Sheet, error) {
	o := &r.options
	s, err := cue.Parse(o.Title, text)
	if err != nil {
		detail := err.Error()
		if all, ok := errors.AsType[rules.Errors](err); ok && len(all) > 1 {
			detail = fmt.Sprintf("%v (and %d more, which voicepool check shows)", all[0], len(all)-1)
		}
		return nil, &Error{Kind: Range, Field: "sheet", Detail: detail}
	}
	s.Length = nil // a room does not end: Run would return at the length and close the mixer
	if o.Voices > 0 {
		s.Voices = o.Voices
	}
	if o.VoiceLimit != nil {
		if requested, limit := maxVoices(s), o.VoiceLimit(); requested > limit {
			return nil, &Error{Kind: Limit, Field: "sheet", Limit: int64(limit), Detail: fmt.Sprintf("sheet: %d voices, real and virtual, are more than the %d that the other rooms of the server leave", requested, limit)}
		}
	}
	if o.AnyFile {
		if o.Folder != "" && !filepath.IsAbs(o.Title) {
			s.File = filepath.Join(o.Folder, filepath.Base(o.Title))
		}
		r.findUploads(s)
		return s, nil
	}
	s.File = "sheet.yaml" // relative to the room's folder
	if err := r.confineFiles(s); err != nil {
		return nil, err
	}
	return s, nil
}

// findUploads looks up the sound files of the sheet s that were uploaded, and sets their paths in s to files in
// Options.Uploads. It changes a path only if the path has no folder, no such file exists beside the sheet, and such a
// file exists in Options.Uploads. If Options.Uploads is empty, findUploads has no effect.
func (r *Room) findUploads(s *cue.Sheet) {
	if r.options.Uploads == "" {
		return
	}
	regular := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	}
	for i := range s.Sounds {
		for j := range s.Sounds[i].Files {
			f := &s.Sounds[i].Files[j]
			if f.Path == "" || filepath.Base(f.Path) != f.Path || regular(filepath.Join(filepath.Dir(s.File), f.Path)) {
				continue
			}
			if up := filepath.Join(r.options.Uploads, f.Path); regular(up) {
				f.Path = up
			}
		}
	}
}

// hideFolders returns text, a message about the sheet s, without the server's folders. An absolute path of a file of s
// is replaced by the path that s has for it, or by the last element if that path is absolute, as for an upload. Other
// paths in the same folders or their parents lose the folder.
func (r *Room) hideFolders(s *cue.Sheet, text string) string {
	shown := map[string]string{s.File: filepath.Base(r.options.Title)}
	for i := range s.Sounds {
		for _, f := range s.Sounds[i].Files {
			if f.Path == "" {
				continue
			}
			name := f.Path
			if filepath.IsAbs(name) {
				name = filepath.Base(name)
			}
			shown[f.Path] = name
			shown[s.Source(&s.Sounds[i], f, false).File] = name
		}
	}
	paths := slices.SortedFunc(maps.Keys(shown), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	folders := map[string]bool{}
	addParents(folders, s.File)
	addParents(folders, filepath.Join(r.options.Uploads, "x"))
	for _, path := range paths {
		if filepath.IsAbs(path) {
			pairs = append(pairs, path, shown[path])
			addParents(folders, path)
		}
	}
	return withoutFolders(strings.NewReplacer(pairs...).Replace(text), folders)
}

// addParents adds the parent folders of path to the set folders, up to but without the root. It stops early at a folder
// that is already in the set. A relative path adds no folder.
func addParents(folders map[string]bool, path string) {
	for dir := filepath.Dir(path); filepath.IsAbs(dir) && dir != filepath.Dir(dir) && !folders[dir]; dir = filepath.Dir(dir) {
		folders[dir] = true
	}
}

// withoutFolders returns text with the absolute folders in the set folders removed from the beginning of paths.
// "/srv/x.wav" becomes "x.wav" if the set has "/srv". A relative path such as "sounds/srv/x.wav" stays as it is.
// withoutFolders ignores case, and also finds folders as quoted by a shell or by Go.
func withoutFolders(text string, folders map[string]bool) string {
	spellings := map[string]bool{}
	for dir := range folders {
		for _, whole := range []string{dir + string(filepath.Separator), filepath.ToSlash(dir) + "/"} {
			spellings[whole] = true
			spellings[strings.ReplaceAll(whole, "'", `'\''`)] = true
			for _, quoted := range []string{strconv.Quote(whole), strconv.QuoteToASCII(whole)} {
				spellings[quoted[1:len(quoted)-1]] = true
			}
		}
	}
	longest := slices.SortedFunc(maps.Keys(spellings), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, folder := range longest {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(folder)) {
			continue
		}
		// After a letter the match is inside a relative path, such as sounds/srv/x.wav.
		pattern, err := regexp.Compile(`(^|[^\pL\pN._-])(?i:` + regexp.QuoteMeta(folder) + ")")
		if err != nil { // the folder is not valid UTF-8
			text = strings.ReplaceAll(text, folder, "")
			continue
		}
		text = pattern.ReplaceAllString(text, "$1")
	}
	return text
}

// maxVoices returns the largest number of voices that the sheet s permits at a time: its slots, or the most after
// growth, and its virtual voices.
func maxVoices(s *cue.Sheet) int { return max(s.Voices, s.Grow.Max) + s.Virtual }

// confineFiles sets s.FS so that s reads its files from Options.Folder only, and opens that folder as r.folder at the
// first call. Three faults are an *Error of Kind Range: a path outside of the folder, any file if the room has no
// folder, and a folder that cannot be opened.
func (r *Room) confineFiles(s *cue.Sheet) error {
	s.FS = emptyFS{}
	if r.folder == nil && r.options.Folder != "" {
		root, err := os.OpenRoot(r.options.Folder)
		if err != nil {
			return &Error{Kind: Range, Field: "folder", Detail: "the folder of the room cannot be opened"}
		}
		r.folder = root
	}
	if r.folder != nil {
		s.FS = r.folder.FS()
	}
	for i := range s.Sounds {
		for _, f := range s.Sounds[i].Files {
			field := "sounds." + s.Sounds[i].Name
			switch {
			case f.Path == "":
			case r.folder == nil:
				return invalidField(field, "the room has no folder, so there is no file %q; it has the sounds of the program", f.Path)
			case !fs.ValidPath(f.Path):
				return invalidField(field, "%q is not in the room's folder; name a file in it, such as bell.wav", f.Path)
			}
		}
	}
	return nil
}

// emptyFS is a file system without files.
type emptyFS struct{}

// Open returns an error that wraps fs.ErrNotExist, for every name.
func (emptyFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// start creates the player of the sheet s, makes it the current playback and starts mixing. Then it restores the
// snapshot Options.Resume, if that is set. It must be called once.
//
// If the timeline of s starts by itself, playback begins at the time that the show of the snapshot would have reached
// by now. If playback cannot begin there, because the show would have ended by now, or without a snapshot, it starts
// from the beginning.
func (r *Room) start(ctx context.Context, s *cue.Sheet) error {
	r.eventLog.init(s.Rate)
	r.manualBuses.init()
	snapshot := r.options.Resume
	var st *playback
	var err error
	lib, startTime := r.newLibrary(s), time.Time{}
	if snapshot != nil && hasTimeline(s) {
		if _, err = r.loadSheetSounds(ctx, s, lib); err != nil { // before the clock is read, because it is slow
			return err
		}
		startTime = time.Now()
		if st, err = r.newPlayback(ctx, s, lib, play.Options{From: snapshot.resumeTime(s.Rate)}); err != nil && ctx.Err() == nil {
			st, startTime = nil, time.Time{} // the show has ended by then
		}
	}
	if st == nil {
		if st, err = r.newPlayback(ctx, s, lib, play.Options{}); err != nil {
			return err
		}
	}
	r.listeners.pairs = st.player.Outputs()
	r.playback.Store(st)
	if snapshot != nil {
		r.setVolumes(st, snapshot)
	}
	if err := r.startOutput(ctx, startTime); err != nil {
		st.player.Close()
		return err
	}
	if snapshot != nil {
		r.restore(snapshot)
	}
	return nil
}

// hasTimeline reports whether the sheet s has cues on a timeline that starts by itself, without a GO of the operator.
func hasTimeline(s *cue.Sheet) bool {
	own := len(s.Cues)
	if len(s.List) > 0 {
		own = s.List[0].First
		for i := range s.List {
			if s.List[i].Timeline {
				return false // a GO begins it
			}
		}
	}
	return own > 0
}

// startOutput starts mixing: on Options.Device, or by the clock if the room has no device, and then sets r.output or
// r.clock. By the clock, the frames since startTime are late and are mixed as clockedOutput.start describes; with the
// zero time, mixing starts now. An error concerns the device.
func (r *Room) startOutput(ctx context.Context, startTime time.Time) (err error) {
	o := &r.options
	if o.Device != "" && o.Device != "none" {
		if r.output, err = openDeviceOutput(r); err == nil {
			r.current().startRun(ctx, r.logLine)
		}
		return err
	}
	r.clock = &clockedOutput{room: r, workers: o.Workers, ownWorkers: o.Workers == nil}
	if r.clock.ownWorkers {
		r.clock.workers = NewWorkers(1)
	}
	r.clock.start(startTime)
	return nil
}

// sheetError converts err, an error of the sheet s or its sounds, to an *Error of Kind Range with the Field "sheet".
// The message does not show folders of the server. If ctx has ended, sheetError returns the error of ctx instead.
func (r *Room) sheetError(ctx context.Context, s *cue.Sheet, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	detail := err.Error()
	if _, isRules := err.(rules.Errors); !isRules {
		detail = strings.TrimPrefix(detail, "cue: ")
	}
	return &Error{Kind: Range, Field: "sheet", Detail: r.hideFolders(s, detail)}
}

// logLine passes a line for the operator to Options.Log, if that is set.
func (r *Room) logLine(line string) {
	if r.options.Log != nil {
		r.options.Log(line)
	}
}
