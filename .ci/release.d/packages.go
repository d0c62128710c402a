package main

import (
	"bytes"
	"os"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/CycloneDX/cyclonedx-gomod/pkg/generate/bin"
	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
	"github.com/rs/zerolog"
)

// packages writes the Debian and the RPM package of the files in a folder, as nfpm.yaml describes them.
func (r *release) packages(folder, arch string) error {
	for format, packager := range map[string]nfpm.Packager{"deb": deb.Default, "rpm": rpm.DefaultRPM} {
		variables := map[string]string{"STAGE": folder, "ARCH": arch, "VERSION": r.version}
		config, err := nfpm.ParseFileWithEnvMapping(".ci/release.d/nfpm.yaml", func(name string) string { return variables[name] })
		if err != nil {
			return err
		}
		info, err := config.Get(format)
		if err != nil {
			return err
		}
		info.MTime = r.time
		for _, content := range info.Contents { // the mode of a checked-out file depends on the user's umask
			if content.FileInfo == nil {
				content.FileInfo = &files.ContentFileInfo{Mode: 0o644}
			}
		}
		if err := nfpm.PrepareForPackager(info, format); err != nil {
			return err
		}
		var b bytes.Buffer
		if err := packager.Package(info, &b); err != nil {
			return err
		}
		if err := r.write(packager.ConventionalFileName(info), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// sbom writes the list of the modules in a program in the form of CycloneDX.
func (r *release) sbom(program, name string) error {
	generator, err := bin.NewGenerator(program, bin.WithIncludeStdlib(true), bin.WithLogger(zerolog.New(os.Stderr).Level(zerolog.WarnLevel)))
	if err != nil {
		return err
	}
	bom, err := generator.Generate()
	if err != nil {
		return err
	}
	bom.Metadata.Timestamp = r.time.Format("2006-01-02T15:04:05Z")
	var b bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON)
	encoder.SetPretty(true)
	if err := encoder.Encode(bom); err != nil {
		return err
	}
	// The library is a folder of the same commit, so Go gives it no version.
	return r.write(name, bytes.ReplaceAll(b.Bytes(), []byte("(devel)"), []byte(r.version)))
}
