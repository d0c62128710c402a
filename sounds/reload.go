package sounds

import (
	"context"
	"slices"

	"voicepool/voice"
)

// Files returns the files of the operating system whose sounds are in the bank,
// sorted, and a channel that is closed when another sound is there. Control side,
// any goroutine.
func (b *Bank) Files() (files []string, more <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, e := range b.entries {
		if key.file != "" && key.fsys == nil && e.ready() {
			files = append(files, key.file)
		}
	}
	if b.more == nil {
		b.more = make(chan struct{})
	}
	slices.Sort(files)
	return slices.Compact(files), b.more
}

// Reload reads a file of the operating system again, in each way in which the bank
// has loaded it, and calls changed for each, unless ctx has ended.
//
// From then on the bank has the new sound, for whoever asks. The old one stays
// valid for who holds it: voices that play it go on with it, and its memory is
// free when the last has let go. A file that cannot be read, as one that is half
// written or gone, leaves the old sound in the bank; changed is then told old and
// the error. Control side, any goroutine.
func (b *Bank) Reload(ctx context.Context, file string, changed func(old, now *voice.Sound, err error)) {
	for _, e := range b.entriesOf(file) {
		if now, err := b.renew(ctx, e); ctx.Err() == nil && (now != nil || err != nil) {
			changed(e.sound, now, err)
		}
	}
}

// tell says to those who look at the files that there is something new.
func (b *Bank) tell() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.more != nil {
		close(b.more)
		b.more = nil
	}
}

// entriesOf returns the sounds of a file: it may be loaded in several ways.
func (b *Bank) entriesOf(file string) []*entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []*entry
	for key, e := range b.entries {
		if key.file == file && key.fsys == nil && e.ready() {
			list = append(list, e)
		}
	}
	return list
}

// renew reads a sound again, and puts it into the place of the old one, unless
// something else stands there by now.
func (b *Bank) renew(ctx context.Context, e *entry) (*voice.Sound, error) {
	sound, info, err := b.read(ctx, e.src)
	if err != nil {
		return nil, err
	}
	now := &entry{done: e.done, src: e.src, sound: sound}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.entries[e.src.key()] != e {
		return nil, nil
	}
	b.entries[e.src.key()] = now
	delete(b.infos, e.sound)
	b.infos[sound] = info
	return sound, nil
}
