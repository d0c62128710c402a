package catalog

import "path/filepath"

// tellApart gives rows the names that are shown: the short one, and where others have it too, that
// with the ending, or else the whole path.
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
