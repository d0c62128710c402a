//go:build !js

package main

// publishStats has no effect outside a browser.
func (g *game) publishStats() {}
