package logsafe_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/logsafe"
)

// obeyed matches the commands that CI systems look for in lines, as each system splits them.
var obeyed = regexp.MustCompile(`(?i)(?:^|[\n\r\v\f\x{85}\x{2028}\x{2029}])[\s\x{a0}\x{2000}-\x{200a}\x{3000}\x{feff}]*::|##[a-z]*\[|section_(?:start|end):|travis_(?:fold|time):`)

var commands = []string{
	"::error::x", "  ::error::x", "\t::add-mask::a", "\u00a0::error::x", "\u3000::set-output name=a::b", "\ufeff::error::x", "x\n::error::x", "x\r::error::x", "x\v::a::", "x\u2028::a::",
	"x\u0085 ::a::", ":::error", "##[error]x", "##[group]", "code ##vso[task.setvariable variable=A]b", "##VSO[task.prependpath]/tmp", "##teamcity[message text='x']",
	"##octopus[stdout-error]", "###vso[x]", "section_start:1:x\r\x1b[0K", "x section_end:1:x", "SECTION_START:1:x", "travis_fold:start:x", "a travis_time:end",
	"##v\u200bso[task]", "#\u00ad#[error]", ":\u200b:error", "\x1b[0m::error::x", "\x1b[1;31m##[error]", "##\x1b[0mvso[x]", "\xff::error::x", "##\ufe0f[error]", "section_start\u0301:1",
}

func TestCommandsAreBroken(t *testing.T) {
	t.Parallel()
	for _, c := range commands {
		var whole bytes.Buffer
		if n, err := logsafe.New(&whole).Write([]byte(c)); err != nil || n != len(c) {
			t.Errorf("%q: %d, %v", c, n, err)
		}
		bare := strings.Map(func(r rune) rune {
			if strings.ContainsRune("\u200b\u00ad\ufe0f\u0301\ufffd", r) {
				return -1
			}
			return r
		}, regexp.MustCompile("\x1b\\[[0-9;]*[a-zA-Z]").ReplaceAllString(whole.String(), ""))
		if obeyed.MatchString(bare) || !strings.Contains(bare, `\u{`) {
			t.Errorf("%q is written as %q", c, whole.String())
		}
		var parts bytes.Buffer
		w := logsafe.New(&parts)
		for i := range len(c) {
			_, _ = w.Write([]byte{c[i]})
		}
		if strings.IndexFunc(c, func(r rune) bool { return r > 0x7f }) < 0 && parts.String() != whole.String() {
			t.Errorf("%q in single bytes is written as %q", c, parts.String())
		}
	}
}

func TestOtherTextStays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"std::vector<int> x;", "a::b", "x: :y", "# heading\n## [link](x)\n", "a[##]", "arr[0]", "##", "section_start", "sections: 2", "mean.go:5:3", "  > 3 | std::move(x)",
		"\x1b[1;31mhigh\x1b[0m  title\n", "naïve ünï 日本\n", "\xff\xfe", "2001:db8::1", "x := [2]int{}", ": :", ":\n:",
	} {
		var out bytes.Buffer
		if _, err := logsafe.New(&out).Write([]byte(text)); err != nil || out.String() != text {
			t.Errorf("%q is written as %q, %v", text, out.String(), err)
		}
	}
}

// Safe text does not change, so that two writers in a row do no harm.
func TestASecondWriterChangesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range commands {
		var once, twice bytes.Buffer
		_, _ = logsafe.New(&once).Write([]byte(c))
		_, _ = logsafe.New(&twice).Write(once.Bytes())
		if once.String() != twice.String() {
			t.Errorf("%q, then %q", once.String(), twice.String())
		}
	}
	var b bytes.Buffer
	w := logsafe.New(&b)
	if logsafe.New(w) != w || logsafe.Raw(w) != &b || logsafe.Raw(&b) != &b {
		t.Error("a safe writer was wrapped again")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 1, errors.New("full") }

func TestErrorsOfTheWriterBehindArePassedOn(t *testing.T) {
	t.Parallel()
	if n, err := logsafe.New(broken{}).Write([]byte("abc")); n != 1 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
}

func FuzzWriter(f *testing.F) {
	for _, c := range commands {
		f.Add(c)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		if _, err := logsafe.New(&out).Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); obeyed.MatchString(got) {
			t.Errorf("%q is written as %q", text, got)
		}
	})
}
