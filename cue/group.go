package cue

import (
	"fmt"

	"voicepool/mixer"
)

// group makes the mixer's group of a sound, or takes the one that it shares. made
// has the first sound of each group that there is already.
func (p *Player) group(i int, made map[string]int) error {
	v := &p.sheet.Sounds[i]
	if v.Group != "" {
		if first, ok := made[v.Group]; ok {
			p.groups[i] = p.groups[first]
			return nil
		}
		made[v.Group] = i
	}
	rate := p.sheet.Rate
	g, err := p.mixer.NewGroup(v.Name, mixer.GroupOptions{
		Limit: v.Limit, Cooldown: v.Cooldown.Duration(rate), Coalesce: v.Coalesce.Within.Duration(rate), Most: v.Coalesce.Most,
	})
	if err != nil {
		return fmt.Errorf("cue: %w", err)
	}
	p.groups[i] = g
	return nil
}
