// Serve builds the page of examples/web and serves it. It needs only Go.
//
//	go run ./examples/web/serve
//	go run ./examples/web/serve -o FOLDER    # write the page there, for any web server
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

//go:embed page
var page embed.FS

func main() {
	address := flag.String("address", "127.0.0.1:8080", "serve at this address")
	folder := flag.String("o", "", "write the page into this folder; serve nothing")
	flag.Parse()
	log.SetFlags(0)
	if flag.NArg() > 0 {
		log.Fatalf("serve: takes no %q, only -address and -o", flag.Arg(0))
	}
	if err := run(*address, *folder); err != nil {
		log.Fatal("serve: ", err)
	}
}

// run writes the page into folder, or with folder "" serves it at address until an interrupt. It builds the served
// page in a temporary folder and removes it at the end.
func run(address, folder string) error {
	if folder != "" {
		return build(folder)
	}
	folder, err := os.MkdirTemp("", "voicepool-web-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	listener, err := net.Listen("tcp", address) // before the build, which takes a while
	if err != nil {
		return err
	}
	if err := build(folder); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, func() { listener.Close() })
	fmt.Printf("http://%v\n", listener.Addr())
	err = http.Serve(listener, http.FileServer(http.Dir(folder)))
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// build writes the files of the page and the compiled program to folder, and creates folder if necessary. It needs
// the command go.
func build(folder string) error {
	files, err := fs.Sub(page, "page")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, name), text, 0o644)
	})
	if err != nil {
		return err
	}
	// The script must match the Go version of the compiler.
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "wasm_exec.js"), script, 0o644); err != nil {
		return err
	}
	wasm, err := filepath.Abs(filepath.Join(folder, "web.wasm"))
	if err != nil {
		return err
	}
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", wasm, "voicepool/examples/web")
	c.Env, c.Stderr = append(os.Environ(), "GOOS=js", "GOARCH=wasm"), os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("go build voicepool/examples/web: %w", err)
	}
	return nil
}
