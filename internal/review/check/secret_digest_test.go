package check

import (
	"slices"
	"strings"
	"testing"
)

// Digests tell the values of secrets apart and do not hold them.
func TestDigestsOfSecrets(t *testing.T) {
	t.Parallel()
	other := "AKIA" + "Q3EGRIJKLMNOPQ7R"
	key, renewed := []byte("key"), []byte("new key")
	digests := func(after string, keys ...[]byte) []string {
		set := change(t, "a.py", "", after)
		res, err := checker(t).Run(t.Context(), set, files{"RIGHT:a.py": after}, Options{Secrets: true, DigestKeys: keys})
		if err != nil || len(res.Findings) != 1 {
			t.Fatalf("%v, findings %+v", err, res.Findings)
		}
		return res.Findings[0].SecretDigests
	}
	line := func(values ...string) string { return "k = '" + strings.Join(values, "', '") + "'\n" }
	one := digests(line(awsKey()), key)
	if len(one) != 1 || strings.Contains(one[0], awsKey()) {
		t.Fatalf("%q", one)
	}
	for name, tt := range map[string]struct {
		got  []string
		want bool
	}{
		"the same value on another line":   {digests("x = 1\n"+line(awsKey()), key), true},
		"the same value twice on a line":   {digests(line(awsKey(), awsKey()), key), true},
		"another value":                    {digests(line(other), key), false},
		"another key":                      {digests(line(awsKey()), renewed), false},
		"a further value on the same line": {digests(line(awsKey(), other), key), false},
	} {
		if len(tt.got) != 1 || slices.Equal(tt.got, one) != tt.want {
			t.Errorf("%s: %q", name, tt.got)
		}
	}
	if got := digests(line(awsKey()), renewed, key); len(got) != 2 || got[1] != one[0] {
		t.Errorf("with a new and an old key: %q", got)
	}
	if got := digests(line(awsKey(), other), key); !slices.Equal(got, digests(line(other, awsKey()), key)) {
		t.Error("the order of two values on a line counts")
	}
	if got := digests(line(awsKey())); got != nil {
		t.Errorf("without a key: %q", got)
	}
	if got := digests(line(awsKey()), slices.Repeat([][]byte{key}, 20)...); len(got) != maxDigestKeys {
		t.Errorf("with 20 keys: %d", len(got))
	}
}
