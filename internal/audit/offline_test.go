package audit_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A change to an exported file is detected too.
func TestChangedFiles(t *testing.T) {
	s := storetest.SQLite(t)
	l := newLogs(t, s, nil)
	key, err := l.Key(bg)
	testkit.OK(t, err)
	_, foreign := audit.New(s, storetest.Keyring(t, s), nil), newLogs(t, storetest.SQLite(t), nil)
	for _, c := range []struct {
		name, format string
		change       func(lines []string) []string
		want         string
	}{
		{"a value is changed", audit.JSONL, func(l []string) []string { l[3] = strings.Replace(l[3], "usr_1", "usr_2", 1); return l }, "altered 2"},
		{"a time is changed", audit.JSONL, func(l []string) []string { l[3] = strings.Replace(l[3], `"at":"2`, `"at":"3`, 1); return l }, "altered 2"},
		{"a line is removed", audit.JSONL, func(l []string) []string { return append(l[:3:3], l[4:]...) }, "removed 2"},
		{"a line is doubled", audit.JSONL, func(l []string) []string { return append(l[:4:4], l[3:]...) }, "inserted 2"},
		{"lines change places", audit.JSONL, func(l []string) []string { l[3], l[4] = l[4], l[3]; return l }, "reordered 2"},
		{"the tail is missing", audit.JSONL, func(l []string) []string { return l[:5] }, "truncated 4+5"},
		{"a duplicate property", audit.JSONL, func(l []string) []string { l[3] = strings.Replace(l[3], `{`, `{"action":"x.y",`, 1); return l }, "altered removed 2"},
		{"the line is of another log", audit.JSONL, func(lines []string) []string {
			lines[3] = strings.Split(string(foreign.export(t, audit.JSONL)), "\n")[3]
			return lines
		}, "other_log 2"},
		{"the head is of another instance", audit.JSONL, func(lines []string) []string {
			return strings.Split(string(foreign.export(t, audit.JSONL)), "\n")
		}, "other_key"},
		{"a cell is changed", audit.CSV, func(l []string) []string {
			l[len(l)-2] = strings.Replace(l[len(l)-2], ",usr_1,", ",usr_2,", 1)
			return l
		}, "altered 8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := strings.Join(c.change(strings.Split(string(l.export(t, c.format)), "\n")), "\n")
			r, err := audit.VerifyFile(strings.NewReader(file), key, "")
			testkit.OK(t, err)
			if got := strings.Join(kinds(r), " "); got != c.want || r.OK {
				t.Errorf("%q, want %q: %+v", got, c.want, r.Findings)
			}
		})
	}
	for name, file := range map[string]string{"nothing": "", "other JSON": "{}\n", "other CSV": "a,b\n1,2\n", "noise": "\x00\xff", "a head without a key": `{"format":"assay-audit/1","log":"x","size":1,"key":"k","checkpoint":"c"}` + "\n"} {
		if r, err := audit.VerifyFile(strings.NewReader(file), "", ""); err == nil {
			t.Errorf("%s: %+v", name, r)
		} else if name == "nothing" && !errors.Is(err, audit.ErrNoExport) {
			t.Error(err)
		}
	}
	if _, err := audit.VerifyFile(bytes.NewReader(l.export(t, audit.CSV)), "no key", ""); err == nil {
		t.Error("an invalid key was accepted")
	}
}

// A cell never begins a formula, even if a name does.
func TestCellsAreNoFormulas(t *testing.T) {
	l := newLogs(t, storetest.SQLite(t), nil)
	all, err := csv.NewReader(bytes.NewReader(l.export(t, audit.CSV))).ReadAll()
	testkit.OK(t, err)
	testkit.Require(t, "rows", len(all), 3+entries)
	for _, row := range all {
		for _, cell := range row {
			if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t\r") {
				t.Errorf("the cell %q", cell)
			}
		}
	}
	testkit.Equal(t, "name", all[3][8], "'=HYPERLINK(\"x\")")
}

func FuzzVerifyFile(f *testing.F) {
	l := newLogs(f, storetest.SQLite(f), nil)
	for _, format := range []string{audit.JSONL, audit.CSV} {
		f.Add(l.export(f, format), l.before)
	}
	good := strings.TrimRight(string(l.export(f, audit.JSONL)), "\n")
	key, err := l.Key(bg)
	testkit.OK(f, err)
	f.Add([]byte("kind,seq\n"), "")
	f.Fuzz(func(t *testing.T, file []byte, older string) {
		_, _ = audit.VerifyFile(bytes.NewReader(file), "", older)
		r, err := audit.VerifyFile(bytes.NewReader(file), key, "")
		if err == nil && r.OK && r.Size > 0 && file[0] == '{' && strings.TrimRight(string(file), "\n") != good {
			t.Errorf("another file is accepted: %q", file)
		}
	})
}

func TestEntriesAreFiltered(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		l := newLogs(t, s, nil)
		before := int64(4)
		for name, c := range map[string]struct {
			f    store.AuditFilter
			want int
		}{
			"all": {store.AuditFilter{}, entries}, "actor": {store.AuditFilter{Actor: "usr_1"}, entries}, "an unknown actor": {store.AuditFilter{Actor: "usr_2"}, 0},
			"action": {store.AuditFilter{Action: "rule.create"}, entries}, "target": {store.AuditFilter{TargetKind: "rule", TargetID: "rul_3"}, 1},
			"result": {store.AuditFilter{Result: audit.Refused}, 0}, "page": {store.AuditFilter{Before: &before}, 4}, "from": {store.AuditFilter{FromUS: 1 << 60}, 0}, "to": {store.AuditFilter{ToUS: 1}, 0},
		} {
			c.f.Limit = 100
			got, err := l.Entries(bg, l.mine, c.f)
			testkit.OK(t, err)
			testkit.Require(t, name, len(got), c.want)
		}
		got, err := l.Entries(bg, l.mine, store.AuditFilter{Limit: 1})
		testkit.OK(t, err)
		if e := got[0]; e.Seq != entries-1 || e.Target.ID != "rul_8" || string(e.Changes[0].After) != `"<rule> 8"` {
			t.Errorf("%+v", e)
		}
	})
}
