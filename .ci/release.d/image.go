package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	registry "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// image writes the container image of the chosen Linux targets as a tar archive of an OCI layout. It is the image of
// the Containerfile, for each machine in one index.
func (r *release) image(chosen []string) error {
	text, err := os.ReadFile("cmd/voicepool/service/Containerfile")
	if err != nil {
		return err
	}
	config, flags, err := parseContainerfile(string(text))
	if err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, target := range chosen {
		system, arch, _ := strings.Cut(target, "/")
		if system != "linux" {
			continue
		}
		one, err := r.platformImage(arch, config, flags)
		if err != nil {
			return err
		}
		platform := &registry.Platform{OS: system, Architecture: arch}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: one, Descriptor: registry.Descriptor{Platform: platform}})
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) == 0 {
		return err
	}
	folder := filepath.Join(r.stage, "image")
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	version := strings.TrimPrefix(r.version, "v")
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": version})); err != nil {
		return err
	}
	var files []file
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path) // both are below the folder
		files = append(files, file{filepath.ToSlash(name), 0o644, data})
		return err
	})
	if err != nil {
		return err
	}
	data, err := tarred(files, r.time, 0)
	if err != nil {
		return err
	}
	return r.write("voicepool_"+version+"_oci.tar", data)
}

// userID is the number of the user in the container.
const userID = 65534

// platformImage returns the image of one machine: the program and two folders in one layer.
func (r *release) platformImage(arch string, config registry.Config, flags []string) (registry.Image, error) {
	program := filepath.Join(r.stage, "container_"+arch, "voicepool")
	if err := build("linux/"+arch, program, flags...); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	packed, err := tarred([]file{{"state/", 0o755, nil}, {"tmp/", 0o755, nil}, {"voicepool", 0o755, data}}, r.time, userID)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	one, err := mutate.AppendLayers(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), layer)
	if err != nil {
		return nil, err
	}
	about, err := one.ConfigFile()
	if err != nil {
		return nil, err
	}
	about = about.DeepCopy()
	about.OS, about.Architecture, about.Created, about.Config = "linux", arch, registry.Time{Time: r.time}, config
	return mutate.ConfigFile(one, about)
}

// parseContainerfile returns the settings of the last stage of a Containerfile, and the tags of its build.
func parseContainerfile(text string) (config registry.Config, flags []string, err error) {
	build := regexp.MustCompile(`go build -trimpath (-tags \w+) -ldflags "-s -w" `).FindStringSubmatch(text)
	_, last, found := strings.Cut(text, "\nFROM scratch\n")
	if build == nil || !found {
		return config, nil, fmt.Errorf("the Containerfile has no FROM scratch, or another go build than this program")
	}
	for line := range strings.Lines(last) {
		word, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "COPY", "": // platformImage has these files
		case "USER":
			config.User = value
		case "EXPOSE":
			config.ExposedPorts = map[string]struct{}{value + "/tcp": {}}
		case "VOLUME":
			config.Volumes = map[string]struct{}{value: {}}
		case "STOPSIGNAL":
			config.StopSignal = value
		case "ENTRYPOINT":
			err = json.Unmarshal([]byte(value), &config.Entrypoint)
		case "CMD":
			err = json.Unmarshal([]byte(value), &config.Cmd)
		default:
			err = fmt.Errorf("the Containerfile has %s, which this program does not know", word)
		}
		if err != nil {
			return config, nil, err
		}
	}
	return config, strings.Fields(build[1]), nil
}
