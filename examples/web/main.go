//go:build js

// Web is a page that plays voicepool in a browser and draws its voices as they play.
//
//	go run ./examples/web/serve
package main

import (
	"encoding/json"
	"syscall/js"

	"voicepool/device/auto"
	"voicepool/examples/web/show"
)

func main() {
	page := js.Global().Get("page")
	s, err := show.New()
	if err != nil {
		page.Call("failed", err.Error())
		return
	}
	defer s.Close()
	begun := make(chan struct{})
	p := &pool{show: s, page: page, begun: begun}
	for name, f := range map[string]func(js.Value) error{
		"begin": p.begin, "press": p.press, "resize": p.resize, "storms": p.storms, "update": p.update,
	} {
		page.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any {
			var arg js.Value
			if len(args) > 0 {
				arg = args[0]
			}
			if err := f(arg); err != nil {
				page.Call("failed", err.Error())
			}
			return nil
		}))
	}
	keys, err := json.Marshal(show.Keys)
	if err != nil {
		page.Call("failed", err.Error())
		return
	}
	page.Call("ready", string(keys))
	// A callback of the page must not block, so the device is opened here.
	<-begun
	out := auto.Open(s.Mixer(), auto.Config{Name: "voicepool"})
	defer out.Close()
	// Browsers allow sound only after a click. This driver waits for the end of a click, which may have
	// passed already.
	document := js.Global().Get("document")
	document.Call("dispatchEvent", js.Global().Get("Event").New("mouseup"))
	page.Call("opened", out.String())
	select {}
}

// pool holds the functions that the page calls.
type pool struct {
	show  *show.Show
	page  js.Value
	begun chan struct{} // closed by the click; nil after that
}

// begin lets main open the audio device; the page calls it at the first click. Further calls have no effect.
func (p *pool) begin(js.Value) error {
	if p.begun != nil {
		close(p.begun)
		p.begun = nil
	}
	return nil
}

// update plays the score up to now and passes the present show.View to the page's function draw, as JSON.
func (p *pool) update(js.Value) error {
	if err := p.show.Step(); err != nil {
		return err
	}
	view, err := json.Marshal(p.show.Look())
	if err != nil {
		return err
	}
	p.page.Call("draw", string(view))
	return nil
}

// press plays the sound of a key, such as "a"; see show.Show.Press.
func (p *pool) press(key js.Value) error { return p.show.Press(key.String()) }

// resize sets the number of voices in the pool; see show.Show.Resize.
func (p *pool) resize(voices js.Value) error { return p.show.Resize(voices.Int()) }

// storms turns the automatic storms on or off.
func (p *pool) storms(on js.Value) error {
	p.show.Storms = on.Bool()
	return nil
}
