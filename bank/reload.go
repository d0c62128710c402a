package bank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/scenes"
	"voicepool/internal/yaml"
	"voicepool/mixer"
	"voicepool/voice"
)

const (
	// look is how often Watch looks at the files. A file is read when two looks in a row find
	// it the same: programs write in pieces.
	look = 250 * time.Millisecond

	// settle is how long the buses take to what a new file says.
	settle = 50 * time.Millisecond
)

// Watch reads the file and its sounds again whenever they change, until ctx ends. It looks at sizes
// and times of the files four times a second, so that it works with any file system that has them;
// those of an embed.FS never change. told, which may be nil, gets the error of each Reload, nil when
// all is well. Run Watch in a goroutine of its own; it is for development.
func (b *Bank) Watch(ctx context.Context, told func(err error)) {
	done, last := b.stamps(), map[string]stamp(nil)
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := b.stamps()
		changed := map[string]bool{}
		still := last != nil
		for file, s := range now {
			changed[file] = s != done[file]
			still = still && s == last[file]
		}
		last = now
		delete(changed, b.name)
		if !still || sameStamps(now, done) {
			continue
		}
		err := b.reload(changed)
		done = b.stamps()
		for file, s := range now { // what has changed since then is seen at the next look
			done[file] = s
		}
		if told != nil {
			told(err)
		}
	}
}

// stamp is what shows that a file is another. Of a file that cannot be looked at it is zero.
type stamp struct {
	size int64
	time time.Time
}

func sameStamps(a, b map[string]stamp) bool {
	for file, s := range a {
		if b[file] != s {
			return false
		}
	}
	return true
}

// stamps returns those of the file and of all files of its sounds, and of those that it names
// since it was read last, which may be missing yet.
func (b *Bank) stamps() map[string]stamp {
	out := map[string]stamp{}
	add := func(name string) {
		s := stamp{}
		if info, err := fs.Stat(b.fsys, name); err == nil {
			s = stamp{info.Size(), info.ModTime()}
		}
		out[name] = s
	}
	add(b.name)
	b.mu.Lock()
	both := []*rules.Rules{b.rules, cmp.Or(b.tried, b.rules)}
	b.mu.Unlock()
	for _, r := range both {
		for i := range r.Sounds {
			for _, f := range r.Sounds[i].Files {
				if f.Path != "" {
					add(path.Join(path.Dir(r.File), f.Path))
				}
			}
		}
	}
	return out
}

// Reload reads the file again. Sounds that start from now on go by the new rules; voices that play
// go on. Gains, pans, pitches, mutes, cutoffs and ducks of buses, values of their effects and gains of their
// sends go to what the file says within 50 ms, if it says something else than before. Sounds that are in the library are not read again.
//
// A file that is faulty or has lost all its sounds, or a sound that cannot be loaded, changes
// nothing; the error is that of Open. What only a new mixer can take, such as another bus, effect or send, is named
// in an error that wraps ErrMixer, a line for each with its place in the file; all else counts. A
// sound of a bus that the mixer lacks plays on the nearest one above it that the mixer has.
func (b *Bank) Reload() error { return b.reload(nil) }

// reload is Reload after some files have changed, by their names.
func (b *Bank) reload(changed map[string]bool) error {
	b.reloading.Lock()
	defer b.reloading.Unlock()
	b.forget(changed)
	r, root, err := b.read()
	if err != nil {
		return err
	}
	if len(r.Sounds) == 0 && len(b.Rules().Sounds) > 0 { // half a file, perhaps: a program is writing it
		return fmt.Errorf("bank: %s: it had sounds, and there are no `sounds` any more", b.name)
	}
	b.mu.Lock()
	b.tried = r
	b.mu.Unlock()
	loaded, err := b.load(r)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wait()
	return b.adopt(r, loaded, root)
}

// forget has the library read the sounds of files again.
func (b *Bank) forget(changed map[string]bool) {
	b.mu.Lock()
	var old []*voice.Sound
	for _, s := range b.sounds {
		for i, f := range s.rules.Files {
			if f.Path != "" && changed[path.Join(path.Dir(b.rules.File), f.Path)] {
				old = append(old, s.files[i])
			}
		}
	}
	b.mu.Unlock()
	for _, s := range old {
		b.lib.Forget(s)
	}
}

// adopt has other rules and sounds count. The mutex is held.
func (b *Bank) adopt(r *rules.Rules, loaded map[string]*sound, root *yaml.Node) error {
	late := &later{file: r.File, root: root}
	if b.mixer != nil {
		late.differ(b.mixer, b.made, r)
		found, err := optionsOn(b.mixer, r)
		if err != nil {
			return err
		}
		equip(loaded, found)
	}
	limits := map[string]*mixer.Group{} // of groups and sounds that limit as before
	for name, old := range b.sounds {
		now := loaded[name]
		if now == nil {
			continue
		}
		now.goOn(old)
		for i := range now.layers {
			if i < len(old.layers) && old.layers[i].sound.rules.Name == now.layers[i].sound.rules.Name {
				now.layers[i].sound.goOn(old.layers[i].sound)
			}
		}
		if limitOf(now.rules) == limitOf(old.rules) {
			limits[groupOf(now.rules)] = old.group
		}
	}
	for _, s := range loaded { // who plays counts
		if g, ok := limits[groupOf(s.rules)]; ok {
			s.group = g
		}
	}
	for _, s := range loaded {
		for _, l := range s.layers {
			l.sound.options = loaded[l.sound.rules.Name].options
		}
	}
	b.rules, b.sounds, b.root = r, loaded, root
	if b.mixer == nil {
		return nil
	}
	expect(b.mixer, loaded)
	scene := scenes.Find(b.rules, b.scene)
	if scene == nil {
		b.scene = ""
	}
	if err := b.move(scenes.Of(r, scene), settle, late); err != nil {
		return errors.Join(err, late.err())
	}
	return late.err()
}

// goOn has the draws of a sound go on where they were.
func (s *sound) goOn(old *sound) {
	s.plays = old.plays
	if s.rules.Pick == old.rules.Pick && len(s.files) == len(old.files) {
		s.picker = old.picker
	}
}

// limit is what limits the starts of a sound.
type limit struct {
	group    string
	voices   rules.Limit
	cooldown rules.Time
	coalesce rules.Coalesce
}

func limitOf(s *rules.Sound) limit { return limit{s.Group, s.Limit, s.Cooldown, s.Coalesce} }

// groupOf returns a name for the sounds that share limits with this one.
func groupOf(s *rules.Sound) string {
	if s.Group != "" {
		return "group " + s.Group
	}
	return "sound " + s.Name
}
