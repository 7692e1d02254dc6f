package hostile

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// noise is a text of random-looking letters that is the same in every run.
func noise(n int) string {
	r := rand.New(rand.NewPCG(7, 11))
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// token is a value that looks like a token of a host. The source has no such text.
func token(i int) string { return "ghp" + "_" + noise(36 + i)[i:] }

// tokens assigns values that look like tokens to names, one per line.
func tokens(n int) string {
	all := noise(36 * n)
	return joined(n, func(i int) string { return fmt.Sprintf("k%d = \"%s\"\n", i, "ghp"+"_"+all[36*i:36*i+36]) })
}

// secrets are texts with more apparent secrets than a person keeps.
func secrets() []bomb {
	pem := func(i int) string {
		return "-----BEGIN RSA PRIVATE " + "KEY-----\n" + noise(1600 + i)[i:] + "\n-----END RSA PRIVATE " + "KEY-----\n"
	}
	n := sized(80_000, 3<<20)
	return []bomb{
		{name: "2,000 keys", head: text("keys.py", tokens(2000)), says: "more than the 200"},
		{name: "50,000 keys", head: text("keys.py", tokens(sized(12_000, 50_000))), says: "more secrets than can be replaced"},
		{name: "keys in many files", head: each(400, func(i int) (string, file) { return fmt.Sprintf("k%d.py", i), file{data: "k = \"" + token(i) + "\"\n"} }), says: "more than the 200"},
		{name: "private keys", head: text("keys.txt", joined(sized(220, 2000), pem)), says: "more than the 200"},
		{name: "beginnings of private keys", head: text("keys.txt", strings.Repeat("-----BEGIN RSA PRIVATE "+"KEY-----\n", sized(5000, 40_000))), says: "more than the 200"},
		{name: "base64", head: text("blob.py", "a = '"+base64.StdEncoding.EncodeToString([]byte(noise(n)))+"'\n"), says: sized("", larger)},
		{name: "lines of noise", head: text("noise.py", joined(n/100, func(i int) string { return "secret_key = '" + noise(80 + i%500)[i%500:] + "'\n" })), says: "more than the 200"},
		{name: "names and beginnings of keys in one line", head: all(text("names.env", strings.Repeat("api_key=token=secret=password=key=", n/34)), text("web.py", strings.Repeat("eyJ"+"hbGciOiJI.eyJ", n/14)),
			text("urls.py", strings.Repeat("https://"+"a:b@c.example/d?sig=", n/26))), says: sized("", tooLong)},
		{name: "hidden characters", head: text("x.py", strings.Repeat("a = '"+hidden+"\u200b\u2066'\n", sized(5000, 60_000)))},
		{name: "characters that pile up", head: text("x.py", "a = '"+strings.Repeat("e\u0301\u0302\u0303\u0304", sized(20_000, 200_000))+"'\n"), says: sized("", tooLong)},
	}
}

// sizes are changes of many bytes or lines, most of them highly compressible.
func sizes() []bomb {
	return []bomb{
		{name: "a million lines", head: text("x.py", strings.Repeat("a\n", sized(150_000, 1_000_000))), says: sized("", tooLong)},
		{name: "a million empty lines", head: text("x.py", strings.Repeat("\n", sized(1_500_000, 4<<20-1))), says: larger},
		{name: "many large files", head: each(sized(3, 60), func(i int) (string, file) {
			return fmt.Sprintf("x%d.py", i), file{data: strings.Repeat(fmt.Sprintf("a%d = 1\n", i), 500_000)}
		}), says: larger},
		{name: "many files of noise", head: each(sized(5, 60), func(i int) (string, file) {
			return fmt.Sprintf("x%d.py", i), file{data: fmt.Sprint("# ", i, "\n") + lines(split(noise(sized(150_000, 1_000_000)), 100)...)}
		}), says: checksOnly},
		{name: "a file of zeros", make: func(r bare) (string, string) { return r.repeated("zeros.bin", "\x00", sized(64<<20, 1<<30)) }, says: sized(larger, "(binary)")},
		{name: "a file of line ends", make: func(r bare) (string, string) { return r.repeated("lines.txt", "\n", sized(24<<20, 256<<20)) }, says: larger},
		{name: "large files on both sides", base: text("x.py", strings.Repeat("a = 1\nb = 2\n", 360_000)), head: text("x.py", strings.Repeat("b = 2\na = 1\n", 360_000)), says: larger},
		{name: "every other line", base: text("x.py", joined(sized(40_000, 300_000), func(i int) string { return fmt.Sprintf("a%d\n", i) })),
			head: text("x.py", joined(sized(40_000, 300_000), func(i int) string { return fmt.Sprintf("a%d%s\n", i, []string{"", "b"}[i%2]) })), says: sized("", tooLong)},
		{name: "a permutation of lines", base: text("x.py", joined(sized(20_000, 200_000), func(i int) string { return fmt.Sprintf("a%d\n", i*7919%100_003) })),
			head: text("x.py", joined(sized(20_000, 200_000), func(i int) string { return fmt.Sprintf("a%d\n", i*104_729%100_003) })), says: sized("", tooLong)},
		{name: "a chain of deltas", make: chain},
	}
}

// split cuts a text into pieces.
func split(s string, n int) (out []string) {
	for ; len(s) > n; s = s[n:] {
		out = append(out, s[:n])
	}
	return append(out, s)
}

// repeated adds a file of one repeated byte without holding it in memory.
func (r bare) repeated(path, of string, n int) (base, head string) {
	r.Helper()
	base = r.plain()
	blob := r.git(io.LimitReader(repeat(of[0]), int64(n)), "-c", "core.bigFileThreshold=1m", "hash-object", "-w", "--stdin")
	return base, r.commit(r.tree("100644 blob "+blob+"\t"+path), base)
}

// repeat is a reader of one repeated byte.
type repeat byte

// Read fills b.
func (c repeat) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(c)
	}
	return len(b), nil
}

// chain makes a pack in which each version of a file is a delta of the one before.
func chain(r bare) (base, head string) {
	r.Helper()
	body := strings.Repeat("a line that stays as it is\n", 2000)
	var in bytes.Buffer
	n := sized(300, 3000)
	for i := range n {
		data := body + strings.Repeat("x", i) + "\n"
		fmt.Fprintf(&in, "commit refs/heads/change\ncommitter m <m@example.org> %d +0000\ndata 1\nc\nM 100644 inline x.py\ndata %d\n%s\n", 1_700_000_000+i, len(data), data)
	}
	r.git(&in, "fast-import", "--quiet", "--force", fmt.Sprintf("--depth=%d", n))
	return r.git(nil, "rev-parse", fmt.Sprintf("refs/heads/change~%d", n-1)), r.git(nil, "rev-parse", "refs/heads/change")
}

// kinds are contents that do not match their names.
func kinds() []bomb {
	wide := func(s string) string {
		var b strings.Builder
		b.WriteString("\xff\xfe")
		for _, u := range utf16.Encode([]rune(s)) {
			b.WriteByte(byte(u))
			b.WriteByte(byte(u >> 8))
		}
		return b.String()
	}
	n := sized(20_000, 200_000)
	return []bomb{
		{name: "zeros and UTF-16 in programs", head: all(text("x.go", "package x\n\nvar a = \"\x00\"\n"), text("x.py", wide(strings.Repeat("a = 'ü'\n", n))), text("y.py", strings.Repeat("\xff\xfe\x01\x02\x0a\x03", n))), says: "not among the riskiest lines"},
		{name: "marks of the order of bytes", head: text("x.go", strings.Repeat("\ufeff", n)+"package x\n"), says: goUnparsed},
		{name: "ends of lines of all kinds", base: text("x.py", strings.Repeat("a = 1\r\n", n/4)), head: text("x.py", strings.Repeat("a = 1\n\r\r\n\v\f\u2028\u0085", n/4)), says: sized("", tooLong)},
		{name: "bytes that are not text", head: text("x.py", strings.Repeat("a = '\xc0\xaf\xed\xa0\x80\xf8\x88'\n", n/8))},
		{name: "notebooks, pictures of text and bundles", head: all(text("x.ipynb", `{"cells":[{"outputs":[{"data":{"image/png":"`+noise(sized(150_000, 3<<20))+`"}}]`+strings.Repeat(`,{"source":["a\n"]}`, n/4)+"]}\n"),
			text("x.svg", "<svg>"+strings.Repeat("<g><use href='#a'/>", n)+"\n"), text("dist/app.min.js", strings.Repeat("!function(e){var t=e;t(e)}();", n))), says: sized("1 file (minified)", larger)},
		{name: "code that says that it is generated", head: text("x.go", "// Code generated by a. DO NOT EDIT.\npackage x\n\n// vendored, minified, @generated\nvar a = 1\n")},
		{name: "code of others", head: text("vendor/a/b/x.go", "package x\n\nvar a = "+strings.Repeat("(", n)+"\n"), says: "(vendored)"},
		{name: "modes that change alone", base: each(500, func(i int) (string, file) { return fmt.Sprintf("b%d.sh", i), file{data: "a\n"} }),
			head: each(500, func(i int) (string, file) { return fmt.Sprintf("b%d.sh", i), file{mode: program, data: "a\n"} })},
		{name: "files that become links", base: each(200, func(i int) (string, file) { return fmt.Sprintf("b%d.go", i), file{data: "package b\n"} }),
			head: each(200, func(i int) (string, file) { return fmt.Sprintf("b%d.go", i), file{mode: symlink, data: "/etc/passwd"} }), says: "symlink"},
	}
}
