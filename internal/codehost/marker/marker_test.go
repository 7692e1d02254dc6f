package marker

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/secret"
)

var (
	digest = strings.Repeat("0123456789abcdef", 4)
	here   = Place{Tenant: "ten_1", Repository: "rep_1", Number: 7}
)

func newMarker(t testing.TB, keys ...string) Marker {
	t.Helper()
	var all []secret.KeyMAC
	for _, k := range keys {
		all = append(all, secret.KeyMAC{Key: k, Sum: []byte(k)})
	}
	m, err := New(all...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const one, two = "key number one, long", "key number two, long"

// lines returns the three marks of one place.
func lines(t testing.TB, m Marker, at Place) (pub, finding, answer string) {
	t.Helper()
	p, err := m.Publication(at, "pub_01hzx", digest)
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Finding(at, "pub_01hzx", "fnd_1")
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Answer(at, "ans_1")
	if err != nil {
		t.Fatal(err)
	}
	return p.String(), f.String(), a.String()
}

// found returns the marks in a text, as kind and name.
func found(m Marker, at Place, publication, text string) string {
	out := ""
	if p, ok := m.FindPublication(at, text); ok {
		out += "pub " + p.ID + " " + p.SHA
	}
	if id, print, ok := m.FindFinding(at, publication, text); ok {
		out += "finding " + id + print
	}
	if id, ok := m.FindAnswer(at, text); ok {
		out += "answer " + id
	}
	return out
}

func TestShortKeysAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := New(secret.KeyMAC{Sum: make([]byte, 15)}); err == nil {
		t.Error("a key of 15 bytes was accepted")
	}
	if _, err := New(); err == nil {
		t.Error("a marker without a key was made")
	}
	if _, err := (Marker{}).Answer(here, "a"); err == nil {
		t.Error("a marker without a key wrote a mark")
	}
	if got := found(Marker{}, here, "", "<!-- assay:ans=a mac=v2."+code(nil, here, mark{kind: kindAnswer, id: "a"})+" -->"); got != "" {
		t.Errorf("a marker without a key found %s", got)
	}
}

// Only the last line that is not blank counts as a mark.
func TestOnlyTheLastLineCounts(t *testing.T) {
	t.Parallel()
	m := newMarker(t, one)
	pub, finding, answer := lines(t, m, here)
	other, err := m.Finding(here, "pub_01hzx", "fnd_2")
	if err != nil {
		t.Fatal(err)
	}
	foreign, _, _ := lines(t, newMarker(t, two), here)
	for name, tc := range map[string]struct{ text, want string }{
		"last line":                       {"Body.\n\n" + pub, "pub pub_01hzx " + digest[:16]},
		"only line":                       {pub, "pub pub_01hzx " + digest[:16]},
		"before blank lines":              {"Body.\r\n" + pub + " \r\n\n\t\n", "pub pub_01hzx " + digest[:16]},
		"a finding":                       {"x\n" + finding, "finding fnd_1"},
		"an answer":                       {"x\n" + answer, "answer ans_1"},
		"after a foreign mark":            {foreign + "\n" + pub, "pub pub_01hzx " + digest[:16]},
		"a copy in a suggestion":          {"```suggestion\n" + other.String() + "\n```\n\n" + finding, "finding fnd_1"},
		"a copy alone in a block":         {"```\n" + finding + "\n```", ""},
		"a copy above text":               {finding + "\nmore", ""},
		"a copy above another mark":       {pub + "\n" + answer, "answer ans_1"},
		"foreign key":                     {foreign, ""},
		"indented":                        {" " + pub, ""},
		"trailing text":                   {pub + " x", ""},
		"quoted":                          {"> " + pub, ""},
		"inside a line":                   {"see " + pub, ""},
		"other id":                        {strings.Replace(pub, "pub_01hzx", "pub_01hzy", 1), ""},
		"other digest":                    {strings.Replace(pub, "sha=0", "sha=1", 1), ""},
		"another kind":                    {strings.Replace(answer, "assay:ans", "assay:finding", 1), ""},
		"upper-case code":                 {strings.ToUpper(pub), ""},
		"cut":                             {pub[:len(pub)-5], ""},
		"empty":                           {"", ""},
		"vertical tab before mark":        {"\v" + pub, ""},
		"the first version with its code": {strings.Replace(answer, "v2.", "", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := found(m, here, "pub_01hzx", tc.text); got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

// A mark is valid only at its own place.
func TestACopiedMarkIsRefused(t *testing.T) {
	t.Parallel()
	m := newMarker(t, one)
	pub, finding, answer := lines(t, m, here)
	for name, at := range map[string]Place{
		"another tenant":       {"ten_2", here.Repository, here.Number},
		"another repository":   {here.Tenant, "rep_2", here.Number},
		"another pull request": {here.Tenant, here.Repository, 8},
		"shifted borders":      {"ten_1rep_", "1", here.Number},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, line := range []string{pub, finding, answer} {
				if got := found(m, at, "pub_01hzx", line); got != "" {
					t.Errorf("found %s in %s", got, line)
				}
			}
		})
	}
	t.Run("another publication", func(t *testing.T) {
		t.Parallel()
		if got := found(m, here, "pub_2", finding); got != "" {
			t.Errorf("found %s", got)
		}
	})
}

// Marks that versions before 0.2.0 published are recognised by their own code.
func TestMarksOfTheFirstVersionAreRead(t *testing.T) {
	t.Parallel()
	m := newMarker(t, two, one)
	for name, tc := range map[string]struct{ text, want string }{
		"publication": {"x\n\n<!-- assay:pub=pub_1 sha=0123456789abcdef mac=" + firstCode([]byte(one), mark{kind: kindPublication, id: "pub_1", sha: "0123456789abcdef"}) + " -->", "pub pub_1 0123456789abcdef"},
		// v0.1.0 wrote this mark with this key.
		"as it was":                             {"<!-- assay:fp=v1:abcdef mac=90c5ba2664d20fa5431590a62c8639f4 -->", "finding v1:abcdef"},
		"answer":                                {"<!-- assay:ans=ans_1 mac=" + firstCode([]byte(one), mark{kind: kindAnswer, id: "ans_1"}) + " -->", "answer ans_1"},
		"a finding's id, which it did not name": {"<!-- assay:finding=fnd_1 mac=" + firstCode([]byte(one), mark{kind: kindFinding, id: "fnd_1"}) + " -->", ""},
		"a fingerprint, which the second version does not name": {"<!-- assay:fp=v1:a mac=v2." + code([]byte(one), here, mark{kind: kindPrint, id: "v1:a", publication: "pub_1"}) + " -->", ""},
		"forged": {"<!-- assay:ans=ans_1 mac=00000000000000000000000000000000 -->", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := found(m, here, "pub_1", tc.text); got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

// All marks of one publication use one key, even if a newer key now comes first.
func TestBy(t *testing.T) {
	t.Parallel()
	both := newMarker(t, one, two)
	for name, want := range map[string]string{one: one, two: two, "": two} {
		m, err := both.WithKey(name)
		if err != nil {
			t.Fatal(err)
		}
		pub, _, _ := lines(t, m, here)
		if m.Key() != want || found(newMarker(t, want), here, "", pub) == "" {
			t.Errorf("By(%q) writes with %q", name, m.Key())
		}
	}
	if both.Key() != one {
		t.Errorf("writes with %q", both.Key())
	}
	if _, err := both.WithKey("another"); err == nil || !strings.Contains(err.Error(), "ASSAY_INSTANCE_KEY") {
		t.Errorf("a key that is not configured: %v", err)
	}
	if _, err := (Marker{}).WithKey(""); err == nil {
		t.Error("a marker without keys writes")
	}
}

// A marker accepts marks by any of its keys, and writes with the first.
func TestKeys(t *testing.T) {
	t.Parallel()
	both, old, fresh := newMarker(t, one, two), newMarker(t, one), newMarker(t, two)
	for _, line := range func() []string { a, b, c := lines(t, fresh, here); return []string{a, b, c} }() {
		if found(both, here, "pub_01hzx", line) == "" || found(old, here, "pub_01hzx", line) != "" {
			t.Errorf("%s is not read by the second key alone", line)
		}
	}
	pub, _, _ := lines(t, both, here)
	if found(old, here, "", pub) == "" || found(fresh, here, "", pub) != "" {
		t.Errorf("%s is not of the first key", pub)
	}
}

func TestWhatHasNoPlaceInAMarkIsRefused(t *testing.T) {
	t.Parallel()
	m := newMarker(t, one)
	for _, id := range []string{"", "a b", "-->", "a\nb", strings.Repeat("a", 129)} {
		if line, err := m.Publication(here, id, digest); err == nil {
			t.Errorf("Publication(%q) = %q", id, line)
		}
		if line, err := m.Finding(here, "pub_1", id); err == nil {
			t.Errorf("Finding(%q) = %q", id, line)
		}
		if line, err := m.Answer(here, id); err == nil {
			t.Errorf("Answer(%q) = %q", id, line)
		}
	}
	for _, d := range []string{"", "abc", strings.ToUpper(digest)} {
		if _, err := m.Publication(here, "p", d); err == nil {
			t.Errorf("digest %q was taken", d)
		}
	}
}

func FuzzFind(f *testing.F) {
	m := newMarker(f, one)
	pub, finding, answer := lines(f, m, here)
	f.Add(pub)
	f.Add("x\n" + finding + "\r\n")
	f.Add("x\n" + answer + " \n")
	f.Add("<!-- assay:fp=v1:abcdef mac=90c5ba2664d20fa5431590a62c8639f4 -->")
	f.Add("<!-- assay:pub=a sha=0123456789abcdef mac=00000000000000000000000000000000 -->")
	f.Fuzz(func(t *testing.T, text string) {
		tail := strings.TrimRight(text, " \t\r\n")
		if p, ok := m.FindPublication(here, text); ok {
			if line, err := m.Publication(here, p.ID, p.SHA); err != nil || !strings.HasSuffix(tail, line.String()) && strings.Contains(tail, "mac=v2.") {
				t.Fatalf("found %+v, which does not stand at the end of the text", p)
			}
		}
		if id, print, ok := m.FindFinding(here, "pub_01hzx", text); ok && print == "" {
			if line, err := m.Finding(here, "pub_01hzx", id); err != nil || !strings.HasSuffix(tail, line.String()) {
				t.Fatalf("found %q, which does not stand at the end of the text", id)
			}
		}
	})
}

// A rotation of the instance key does not orphan marks: a process with both keys, in either order, reads the
// marks of processes with the old key, the new key or both.
func TestARotatedInstanceKeyOrphansNoMark(t *testing.T) {
	t.Parallel()
	old, fresh := secret.NewToken(secret.InstanceKey), secret.NewToken(secret.InstanceKey)
	of := func(keys ...secret.Secret) Marker {
		var text []string
		for _, k := range keys {
			text = append(text, k.Reveal())
		}
		ring, err := secret.NewKeyring(secret.New(strings.Join(text, ",")), secret.KeyStoreFuncs{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := New(ring.MACs("marker")...)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	stages := map[string]Marker{"before": of(old), "prepared": of(old, fresh), "after": of(fresh, old), "at the end": of(fresh)}
	for wrote, by := range stages {
		for _, read := range []string{"prepared", "after"} {
			m := stages[read]
			pub, finding, answer := lines(t, by, here)
			for _, line := range []string{pub, finding, answer} {
				if found(m, here, "pub_01hzx", line) == "" {
					t.Errorf("written %s, not read %s: %s", wrote, read, line)
				}
			}
		}
	}
	if pub, _, _ := lines(t, of(old), here); found(of(fresh), here, "", pub) != "" {
		t.Error("a key that is not configured is accepted")
	}
}
