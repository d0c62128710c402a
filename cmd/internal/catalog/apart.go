package catalog

import "path/filepath"

// tellApart sets the displayed names of rows. Names that several rows share are extended: first to
// the base name of the file, then to its whole path.
func tellApart(rows []Row) {
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
