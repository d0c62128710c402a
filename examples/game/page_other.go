//go:build !js

package main

// tellPage has no page to tell.
func (g *game) tellPage() {}
