package mixer

// LimitEndless bounds the endless voices that a mixer keeps unheard.
func LimitEndless(c *Config, n int) { c.endless = n }
