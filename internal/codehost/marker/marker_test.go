package marker

import (
	"strings"
	"testing"
)

var digest = strings.Repeat("0123456789abcdef", 4)

func newMarker(t testing.TB, key string) Marker {
	t.Helper()
	m, err := New([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestShortKeysAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := New(make([]byte, 15)); err == nil {
		t.Fatal("a key of 15 bytes was taken")
	}
	if _, ok := (Marker{}).FindFinding("<!-- assay:fp=a mac=" + Marker{}.code("fp", "a") + " -->"); ok {
		t.Fatal("a marker without a key verified something")
	}
}

func TestPublication(t *testing.T) {
	t.Parallel()
	m, other := newMarker(t, "key number one, long"), newMarker(t, "key number two, long")
	line, err := m.Publication("pub_01hzx", digest)
	if err != nil {
		t.Fatal(err)
	}
	foreign, _ := other.Publication("pub_02", digest)
	for name, tc := range map[string]struct {
		text string
		want bool
	}{
		"last line":                {"Body.\n\n" + line, true},
		"only line":                {line, true},
		"carriage returns":         {"Body.\r\n" + line + "\r\nmore", true},
		"after a foreign mark":     {foreign + "\n" + line, true},
		"foreign key":              {foreign, false},
		"indented":                 {" " + line, false},
		"trailing text":            {line + " x", false},
		"quoted":                   {"> " + line, false},
		"inside a line":            {"see " + line, false},
		"other id":                 {strings.Replace(line, "pub_01hzx", "pub_01hzy", 1), false},
		"other digest":             {strings.Replace(line, "sha=0", "sha=1", 1), false},
		"finding's code":           {strings.Replace(line, "assay:pub", "assay:fp", 1), false},
		"upper-case code":          {strings.ToUpper(line), false},
		"cut":                      {line[:len(line)-5], false},
		"empty":                    {"", false},
		"vertical tab before mark": {"\v" + line, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := m.FindPublication(tc.text)
			if ok != tc.want || (ok && (got.ID != "pub_01hzx" || got.SHA != digest[:16])) {
				t.Fatalf("FindPublication = %+v, %v; want %v", got, ok, tc.want)
			}
		})
	}
}

func TestFinding(t *testing.T) {
	t.Parallel()
	m := newMarker(t, "key number one, long")
	line, err := m.Finding("v1:abcdef")
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := m.FindFinding("text\n" + line + "\n"); !ok || got != "v1:abcdef" {
		t.Fatalf("FindFinding = %q, %v", got, ok)
	}
	if _, ok := m.FindPublication(line); ok {
		t.Fatal("a finding's mark was taken for a publication's")
	}
}

func TestWhatHasNoPlaceInAMarkIsRefused(t *testing.T) {
	t.Parallel()
	m := newMarker(t, "key number one, long")
	for _, id := range []string{"", "a b", "-->", "a\nb", strings.Repeat("a", 129)} {
		if line, err := m.Publication(id, digest); err == nil {
			t.Errorf("Publication(%q) = %q", id, line)
		}
		if line, err := m.Finding(id); err == nil {
			t.Errorf("Finding(%q) = %q", id, line)
		}
	}
	for _, d := range []string{"", "abc", strings.ToUpper(digest)} {
		if _, err := m.Publication("p", d); err == nil {
			t.Errorf("digest %q was taken", d)
		}
	}
}

func FuzzFind(f *testing.F) {
	m := newMarker(f, "key number one, long")
	pub, _ := m.Publication("pub_1", digest)
	fp, _ := m.Finding("abc")
	f.Add(pub)
	f.Add("x\n" + fp + "\r\n")
	f.Add("<!-- assay:pub=a sha=0123456789abcdef mac=00000000000000000000000000000000 -->")
	f.Fuzz(func(t *testing.T, text string) {
		if p, ok := m.FindPublication(text); ok {
			line, err := m.Publication(p.ID, p.SHA)
			if err != nil || !strings.Contains(text, line) {
				t.Fatalf("found %+v, which does not stand in the text", p)
			}
		}
		if id, ok := m.FindFinding(text); ok {
			line, err := m.Finding(id)
			if err != nil || !strings.Contains(text, line) {
				t.Fatalf("found %q, which does not stand in the text", id)
			}
		}
	})
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	m, other := newMarker(t, "key number one, long"), newMarker(t, "key number two, long")
	line, err := m.Answer("ans_01hzx")
	if err != nil {
		t.Fatal(err)
	}
	foreign, _ := other.Answer("ans_02")
	finding, _ := m.Finding("ans_01hzx")
	for name, tc := range map[string]struct {
		text string
		want bool
	}{
		"last line":      {"Body.\n\n" + line, true},
		"foreign key":    {foreign, false},
		"quoted":         {"> " + line, false},
		"inside a line":  {"see " + line, false},
		"other id":       {strings.Replace(line, "01hzx", "01hzy", 1), false},
		"finding's code": {strings.Replace(finding, "assay:fp", "assay:ans", 1), false},
		"empty":          {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := m.FindAnswer(tc.text)
			if ok != tc.want || ok && got != "ans_01hzx" {
				t.Errorf("found %q, %v", got, ok)
			}
		})
	}
	if _, err := m.Answer("a --> b"); err == nil {
		t.Error("an id that has no place in a mark was taken")
	}
}
