package catalog

import "path/filepath"

// setNames sets the displayed name of each row. It is the name of the sound. If several rows have the same name, it is
// the base name of the file instead. If these are equal, too, it is the whole path. Rows with an error, and sounds
// without a file, keep the name of the sound.
func setNames(rows []Row) {
	for i := range rows {
		rows[i].name = rows[i].info.Name
	}
	for _, longer := range []func(path string) string{filepath.Base, filepath.Clean} {
		count := map[string]int{}
		for i := range rows {
			count[rows[i].name]++
		}
		for i := range rows {
			if r := &rows[i]; count[r.name] > 1 && r.info.File != "" && r.Err == nil {
				r.name = longer(r.info.File)
			}
		}
	}
}
