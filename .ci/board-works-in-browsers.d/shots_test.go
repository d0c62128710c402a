package board

import (
	"flag"
	"path/filepath"
	"testing"
)

var (
	update = flag.Bool("update", false, "write docs/board.png")
	shots  = flag.String("shots", "", "write pictures of the page to this folder")
)

func TestShots(t *testing.T) {
	if *shots == "" && !*update {
		t.Skip("it makes pictures, which nothing compares: -update or -shots FOLDER wants them")
	}
	s := serve(t, build(t), "127.0.0.1:0", show...)
	p := open(t, browser(t), s.address, desk)
	eval[bool](p, `for (const cue of ['1', '2', '4', '5']) { await board.link.order({do: 'standby', with: {cue}}); await board.link.order({do: 'go'}); await new Promise(r => setTimeout(r, 4500)); }
		await new Promise(r => setTimeout(r, 9000)); return true;`)
	p.until(`document.querySelectorAll('.slot.taken').length > 0`)
	if *update {
		p.shoot("../../docs/board.png")
		return
	}
	for name, l := range map[string]window{
		"desk-dark": desk, "desk-light": {1280, 800, "light", false},
		"phone-dark": {390, 844, "dark", false}, "phone-light": {390, 844, "light", false}, "tablet": {820, 1180, "dark", false},
	} {
		p.see(l)
		eval[bool](p, `scrollTo(0, 0); await new Promise(r => setTimeout(r, 600)); return true;`)
		p.shoot(filepath.Join(*shots, name+".png"))
		if l.width == 390 {
			eval[bool](p, `scrollTo(0, 760); await new Promise(r => setTimeout(r, 400)); return true;`)
			p.shoot(filepath.Join(*shots, name+"-2.png"))
			eval[bool](p, `scrollTo(0, 1500); await new Promise(r => setTimeout(r, 400)); return true;`)
			p.shoot(filepath.Join(*shots, name+"-3.png"))
		}
	}
}
