package main

import (
	"strings"

	"github.com/alecthomas/kong"
	"github.com/muesli/roff"
)

// examples holds calls of each command, by its path, for its help and for the man page.
var examples = map[string][]string{
	"": {
		"voicepool demo", "voicepool play coin bell shot.wav", "voicepool run sheet.yaml", "voicepool render sheet.yaml -o out.wav --report report.json",
		"voicepool explain report.json",
	},
	"demo":    {"voicepool demo", "voicepool demo --sheet > demo.yaml   # save its cue sheet"},
	"play":    {"voicepool play coin bell shot.wav", "voicepool play tone:440 --length 5s --gain -12"},
	"run":     {"voicepool run sheet.yaml", "voicepool run sheet.yaml --from 30s --report report.json", "voicepool run sheet.yaml --device null --expect rules.yaml --junit results.xml"},
	"go":      {"voicepool go show.yaml", "voicepool go show.yaml --control unix:show.sock   # for voicepool send"},
	"attach":  {"voicepool attach", "voicepool attach show.yaml"},
	"serve":   {"voicepool serve sheet.yaml", "voicepool serve --config rooms.yaml --state state --token-file tokens"},
	"send":    {"voicepool send unix:show.sock go", "voicepool send --to http://127.0.0.1:7700/main standby 3"},
	"rooms":   {"voicepool rooms --nats nats://127.0.0.1:4222"},
	"drain":   {"voicepool drain stage-left --nats nats://127.0.0.1:4222"},
	"watch":   {"voicepool watch --to http://127.0.0.1:7700/main"},
	"render":  {"voicepool render sheet.yaml -o out.wav", "voicepool render sheet.yaml -o out.wav --voices 8 --report report.json"},
	"check":   {"voicepool check sheet.yaml"},
	"schema":  {"voicepool schema > voicepool.schema.json", "voicepool schema --rules > rules.schema.json"},
	"sounds":  {"voicepool sounds", "voicepool sounds samples --png samples.png"},
	"effects": {"voicepool effects", "voicepool effects reverb"},
	"devices": {"voicepool devices"},
	"doctor":  {"voicepool doctor --tone", "voicepool doctor --evidence my-card.json   # ten minutes, for docs/evidence"},
	"bench":   {"voicepool bench --json > before.json", "voicepool bench --against before.json"},
	"explain": {
		"voicepool explain report.json   # the ten most audible losses", "voicepool explain report.json 59   # voice 59",
		"voicepool explain report.json --sound bell",
	},
	"expect": {
		"voicepool expect report.json rules.yaml", "voicepool expect report.json out.wav rules.yaml --junit results.xml",
		"voicepool expect captured.wav rules.yaml   # searches for the sounds of the rules",
	},
	"timeline":    {"voicepool timeline report.json -o voices.html"},
	"stealbench":  {"voicepool stealbench --voices 16,32", "voicepool stealbench --judge judged   # a table of all policies in all scenes", "voicepool stealbench sheet.yaml --policies quietest,oldest"},
	"tune":        {"voicepool tune sheet.yaml --damage 1%", "voicepool tune sheet.yaml --damage 2f=40   # by a perceptual metric"},
	"hear":        {"voicepool hear unlimited.wav quietest.wav", "voicepool hear unlimited.wav oldest.wav --json"},
	"compare":     {"voicepool compare sheet.yaml --policies quietest,oldest,reject --wav mixes"},
	"farm submit": {"voicepool farm submit a.yaml b.yaml --do compare --nats nats://127.0.0.1:4222"},
	"farm work":   {"voicepool farm work --nats nats://127.0.0.1:4222"},
	"farm status": {"voicepool farm status --nats nats://127.0.0.1:4222"},
	"farm get":    {"voicepool farm get JOB -o out.wav --nats nats://127.0.0.1:4222"},
	"farm forget": {"voicepool farm forget --nats nats://127.0.0.1:4222"},
	"completion":  {"voicepool completion fish > ~/.config/fish/completions/voicepool.fish"},
	"man":         {"voicepool man | man -l -"},
	"version":     {"voicepool version --json"},
}

// addExamples adds examples to the help of the command node and of its subcommands. It returns the examples of node:
// its own, or if it has no entry in examples, all examples of its subcommands.
func addExamples(node *kong.Node) (list []string) {
	for _, command := range node.Children {
		list = append(list, addExamples(command)...)
	}
	if own := examples[node.Path()]; own != nil {
		list = own
	}
	if list != nil {
		node.Detail = strings.TrimSpace(node.Detail + "\n\nExamples:\n\n\t" + strings.Join(list, "\n\t"))
	}
	return list
}

// manPage builds the man page. Its synopsis lists the commands instead of the text that the library writes there.
type manPage struct {
	*roff.Document
	usages  []string // of each command
	skipped bool     // the text of the library's synopsis
}

// Section begins the section title. In the section Synopsis it writes the usages of all commands, and the following
// texts up to the next section are dropped.
func (p *manPage) Section(title string) {
	p.Document.Section(title)
	if p.skipped = title == "Synopsis"; p.skipped {
		for i, usage := range p.usages {
			if i > 0 {
				p.Document.Text("\n") // a new paragraph
			}
			p.Document.TextBold(usage)
		}
	}
}

// Text writes text, unless the current section is the synopsis.
func (p *manPage) Text(text string) {
	if !p.skipped {
		p.Document.Text(escaped(text))
	}
}

// TextBold writes text in bold, unless the current section is the synopsis.
func (p *manPage) TextBold(text string) {
	if !p.skipped {
		p.Document.TextBold(escaped(text))
	}
}

// TextItalic writes text in italics, unless the current section is the synopsis.
func (p *manPage) TextItalic(text string) {
	if !p.skipped {
		p.Document.TextItalic(escaped(text))
	}
}

// escaped returns text for a roff.Document, which interprets it as a format: each % is doubled.
func escaped(text string) string { return strings.ReplaceAll(text, "%", "%%") }
