package catalog

import (
	"context"
	"errors"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/musicplan"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// MusicFaults finds the segments and markers of `music` in sheet that do not fit the sounds of their segments, with the
// errors that Bank.Music returns. It loads these sounds into lib. A theme with a sound that lib cannot load is not
// checked.
func MusicFaults(ctx context.Context, sheet *cue.Sheet, lib *library.Library) (list rules.Errors) {
	for i := range sheet.Music {
		loadable := true
		_, err := musicplan.NewTheme(sheet.File, &sheet.Music[i], sheet.Rate, func(name string) (int64, pcm.Loop) {
			for j := range sheet.Sounds {
				if s := &sheet.Sounds[j]; s.Name == name {
					loaded, err := segmentSound(ctx, sheet, s, lib)
					switch {
					case err != nil:
						loadable = false
					case s.Loop:
						return loaded.Frames(), loaded.Loop()
					default:
						return loaded.Frames(), pcm.Loop{}
					}
				}
			}
			return 0, pcm.Loop{}
		})
		if more, ok := errors.AsType[rules.Errors](err); ok && loadable {
			list = append(list, more...)
		}
	}
	return list
}

// segmentSound loads the file of s, the sound of a segment, into lib, or opens it as a stream.
func segmentSound(ctx context.Context, sheet *cue.Sheet, s *rules.Sound, lib *library.Library) (*sounds.Sound, error) {
	src := sheet.Source(s, s.Files[0], s.Loop)
	if s.Stream {
		return lib.OpenStream(src, library.StreamOptions{CountsAs: s.CountsAs})
	}
	loaded, err := lib.Load(ctx, src)
	if err != nil {
		return nil, err
	}
	return loaded[0], nil
}
