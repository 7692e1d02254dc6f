package app

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/store/migrations"
)

// Step is one schema migration.
type Step struct {
	Number int64
	Name   string // the name of its file without the extension
}

// Steps lists the migrations for a database engine (store.Store.Engine), in order.
func Steps(engine string) ([]Step, error) {
	files, err := fs.ReadDir(migrations.FS, engine)
	if err != nil {
		return nil, err
	}
	var out []Step
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".sql")
		number, _, _ := strings.Cut(name, "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if ok && err == nil {
			out = append(out, Step{n, name})
		}
	}
	slices.SortFunc(out, func(a, b Step) int { return int(a.Number - b.Number) })
	return out, nil
}
