package policytest

import (
	"testing"

	"voicepool/cue/report"
)

func TestDamage(t *testing.T) {
	row := func(tiles, distance float64, score *float64) *Row {
		return &Row{Difference: Difference{Tiles: &tiles, Zimtohrli: &distance, TwoF: score, KError: new(report.Level(-30))}}
	}
	for _, c := range []struct {
		text             string
		want             Damage
		within, beyond   *Row
		clause, exceeded string
	}{
		{"1%", Damage{"tiles", 0.01}, row(0.01, 1, new(0.0)), row(0.011, 0, new(100.0)), "you would hear 1.1 % of it go", "more than 1 %"},
		{"0.5", Damage{"tiles", 0.5}, row(0.5, 1, nil), row(0.51, 0, nil), "you would hear 51 % of it go", "more than 50 %"},
		{"zimtohrli=0.002", Damage{"zimtohrli", 0.002}, row(1, 0.002, nil), row(0, 0.0021, new(100.0)), "the Zimtohrli distance is 0.0021", "more than 0.002"},
		{"zimtohrli=0.002", Damage{"zimtohrli", 0.002}, row(1, 0.002, nil), row(0, 0.00201, nil), "the Zimtohrli distance is 0.00201", "more than 0.002"},
		{"2f=40", Damage{"2f", 40}, row(1, 1, new(60.0)), row(0, 0, new(59.99)), "the 2f score is 59.99", "less than 60"},
		{"2f=40", Damage{"2f", 40}, row(1, 1, new(60.0)), row(0, 0, new(59.9)), "the 2f score is 59.9", "less than 60"},
	} {
		var d Damage
		if err := d.UnmarshalText([]byte(c.text)); err != nil || d != c.want {
			t.Errorf("%s is %+v, %v", c.text, d, err)
		}
		for r, want := range map[*Row]bool{c.within: true, c.beyond: false} {
			if got, err := d.within(r); got != want || err != nil {
				t.Errorf("%s of %v: %v, %v", c.text, d.Describe(r), got, err)
			}
		}
		if got := d.Describe(c.beyond); got != c.clause {
			t.Errorf("%s: %q, want %q", c.text, got, c.clause)
		}
		if got := d.Exceeded(); got != c.exceeded {
			t.Errorf("%s: %q, want %q", c.text, got, c.exceeded)
		}
	}
	if _, err := (Damage{"2f", 40}).within(row(0, 0, nil)); err == nil {
		t.Error("a missing score is within the damage")
	}
	for _, text := range []string{"", "x", "-1", "1.1", "101%", "nan", "2f", "2f=", "2f=101", "2f=-1", "2f=1%", "zimtohrli=1.1", "zimtohrli=x", "tiles=0.1", "=1"} {
		d := Damage{"2f", 7}
		if err := d.UnmarshalText([]byte(text)); err == nil || d != (Damage{"2f", 7}) {
			t.Errorf("%q is %+v, %v", text, d, err)
		}
	}
}
