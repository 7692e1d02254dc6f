package upgrade

import (
	"encoding/json"
	"flag"
	"regexp"
	"testing"

	"github.com/assay-dev/assay/internal/store/dialect"
)

var release = flag.String("release", "", "write the dumps of a release, such as v0.2.0, of the newest schema")

// TestFill runs the code that fills a database on the newest schema. If a dump is to be made, it must
// fill every table. With -release the test writes the dumps.
func TestFill(t *testing.T) {
	engines := []dialect.Name{dialect.SQLite}
	if *release != "" {
		if !regexp.MustCompile(`^v\d+\.\d+\.\d+$`).MatchString(*release) {
			t.Fatalf("-release %s is not a version such as v0.2.0", *release)
		}
		engines = append(engines, dialect.Postgres)
	}
	for _, engine := range engines {
		t.Run(string(engine), func(t *testing.T) {
			url := empty(t, engine)
			db := open(t, url)
			_, err := steps(t, db).Up(bg)
			must(t, err)
			must(t, db.Close())
			s := serve(t, url)
			fill(s)
			for _, lack := range lacks(t, s.db) {
				if *release == "" {
					t.Log(lack) // the author of the next dump adds it
				} else {
					t.Error(lack)
				}
			}
			answers, err := json.MarshalIndent(s.walk(), "", "\t")
			must(t, err)
			if *release == "" || t.Failed() {
				return
			}
			d := dump{*release, engine}
			pack(t, d.file("sql"), script(t, s.db))
			pack(t, d.file("answers"), answers)
		})
	}
}
