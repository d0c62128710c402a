package main

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
)

// numberFlags makes k parse integers, floats and durations as kong does by default, but with errors that name the
// permitted values. It is an option of kong.
func numberFlags(k *kong.Kong) error {
	for _, option := range [...]kong.Option{
		kong.KindMapper(reflect.Int, signed), kong.KindMapper(reflect.Int64, signed),
		kong.KindMapper(reflect.Uint64, number("a whole number from 0", func(text string, to reflect.Value) error {
			n, err := strconv.ParseUint(text, 0, 64)
			to.SetUint(n)
			return err
		})),
		kong.KindMapper(reflect.Float64, number("a number", func(text string, to reflect.Value) error {
			x, err := strconv.ParseFloat(text, 64)
			to.SetFloat(x)
			return err
		})),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), number("a time such as 30ms, 1.5s or 2m", func(text string, to reflect.Value) error {
			d, err := time.ParseDuration(text)
			to.SetInt(int64(d))
			return err
		})),
	} {
		if err := option.Apply(k); err != nil {
			return err
		}
	}
	return nil
}

var signed = number("a whole number", func(text string, to reflect.Value) error {
	n, err := strconv.ParseInt(text, 0, to.Type().Bits())
	to.SetInt(n)
	return err
})

// number returns a mapper of kong for one kind of number. parse converts text and stores the value in to. If parse
// fails, the error contains description, a description of the permitted values, instead of the error of parse.
func number(description string, parse func(text string, to reflect.Value) error) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, to reflect.Value) error {
		token, err := ctx.Scan.PopValue(description)
		if err != nil {
			return err
		}
		if token.IsEOL() {
			return fmt.Errorf("a value is missing; want %s", description)
		}
		text := fmt.Sprint(token.Value)
		if parse(text, to) != nil {
			return fmt.Errorf("%s: want %s", strconv.Quote(text), description)
		}
		return nil
	}
}
