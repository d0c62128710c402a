package catalog

import (
	"fmt"
	"strings"

	"voicepool/cmd/internal/cli/console"
	"voicepool/effect"
)

// Effects is the command that lists the effects of buses.
type Effects struct {
	Kinds []string `arg:"" optional:"" name:"kind" help:"Only these kinds."`
	JSON  bool     `name:"json" help:"Print JSON."`
}

// Run prints the kinds of effects named in e.Kinds with their parameters, or all kinds if e.Kinds is empty. It writes
// text to c.Out, or JSON if e.JSON is set. An unknown kind is a usage error, and then it prints no kind.
func (e *Effects) Run(c *console.Console) error {
	kinds := effect.Kinds()
	if len(e.Kinds) > 0 {
		kinds = nil
	}
	for _, name := range e.Kinds {
		k := effect.KindOf(name)
		if k == nil {
			_, err := effect.New(name, nil)
			return console.Usage("%s", strings.TrimPrefix(err.Error(), effect.ErrEffect.Error()+": "))
		}
		kinds = append(kinds, k)
	}
	if e.JSON {
		c.JSON(listed(kinds))
		return nil
	}
	for i, k := range kinds {
		if i > 0 {
			fmt.Fprintln(c.Out)
		}
		fmt.Fprintf(c.Out, "%s: %s\n", k.Name, k.Does)
		for _, p := range paramsOf(k) {
			values, does := p.Values, p.Does
			if len(p.Choices) > 2 {
				values, does = "a word", does+": "+values
			}
			fmt.Fprintf(c.Out, "  %-11s  %-20s  %-8s  %s\n", p.Name, values, p.Default, does)
		}
	}
	return nil
}

// listedKind is a kind of effect in JSON.
type listedKind struct {
	Name   string        `json:"name"`
	Does   string        `json:"does"`
	Bands  int           `json:"bands,omitempty"` // maximum number of bands, for parameters named bands.NAME
	Params []listedParam `json:"parameters"`
}

type listedParam struct {
	Name    string   `json:"name"`
	Unit    string   `json:"unit,omitempty"`
	From    float64  `json:"from"`
	To      float64  `json:"to"`
	Off     bool     `json:"off,omitempty"` // off is allowed, too
	Choices []string `json:"choices,omitempty"`
	Default string   `json:"default"` // as written in sheets
	Values  string   `json:"takes"`
	Does    string   `json:"does"`
}

// listed converts kinds of effects to their JSON form.
func listed(kinds []*effect.Kind) []listedKind {
	all := make([]listedKind, len(kinds))
	for i, k := range kinds {
		all[i] = listedKind{k.Name, k.Does, k.Bands, paramsOf(k)}
	}
	return all
}

// paramsOf returns the parameters of the effect kind k in their JSON form. The parameters of its bands come last and
// are named "bands.NAME".
func paramsOf(k *effect.Kind) (all []listedParam) {
	add := func(of string, params []effect.Param) {
		for i := range params {
			p := &params[i]
			all = append(all, listedParam{of + p.Name, string(p.Unit), p.From, p.To, p.Off, p.Choices, p.Spell(p.Default), p.Range(), p.Does})
		}
	}
	add("", k.Params)
	add("bands.", k.Band)
	return all
}
