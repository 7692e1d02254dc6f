package arch

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	code    = regexp.MustCompile("`[^`\n]*`")
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *#*$`)
	anchor  = regexp.MustCompile(`<a (?:id|name)="([^"]+)">`)
	target  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}\p{M} _-]`)
)

// slugs returns the anchors of a page as GitHub makes them.
func slugs(text string) (out []string) {
	text = fence.ReplaceAllString(text, "")
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		title := strings.ToLower(target.ReplaceAllString(m[1], "$1"))
		out = append(out, strings.ReplaceAll(dropped.ReplaceAllString(title, ""), " ", "-"))
	}
	for _, m := range anchor.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// broken returns the links of a page that lead nowhere. text returns the text
// of a file ("" for a folder), and false if there is no such file.
func broken(page, content string, text func(string) (string, bool)) (out []string) {
	for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(fence.ReplaceAllString(content, ""), ""), -1) {
		if strings.Contains(m[1], ":") {
			continue
		}
		file, part, _ := strings.Cut(m[1], "#")
		to := page
		if file != "" {
			to = path.Join(path.Dir(page), file)
		}
		there, ok := text(to)
		if !ok || part != "" && !slices.Contains(slugs(there), part) {
			out = append(out, m[1])
		}
	}
	return out
}

// TestLinksOfPages checks the links of every page, and that the index has one line for each page of
// docs/.
func TestLinksOfPages(t *testing.T) {
	t.Parallel()
	text := func(file string) (string, bool) {
		name := filepath.Join("..", "..", filepath.FromSlash(file))
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			return "", err == nil
		}
		raw, err := os.ReadFile(name)
		return string(raw), err == nil
	}
	index, _ := text("docs/README.md")
	for _, page := range pages(t) {
		if path.Ext(page) != ".md" {
			continue
		}
		content, _ := text(page)
		for _, to := range broken(page, content, text) {
			t.Errorf("%s: the link %s leads nowhere", page, to)
		}
		if name, ok := strings.CutPrefix(page, "docs/"); ok && name != "README.md" && path.Dir(name) != "decisions" && path.Dir(name) != "asvs" {
			if n := strings.Count(index, "]("+name+")"); n != 1 {
				t.Errorf("docs/README.md has %d links to %s, want 1", n, name)
			}
		}
	}
}

func TestBrokenLinks(t *testing.T) {
	t.Parallel()
	text := func(file string) (string, bool) {
		there := map[string]string{
			"docs/a.md": "# A page\n## `assay keys`: who may (and who not)\n```\n# no heading\n```\n<a id=\"x\"></a>\n## A [link](b.md)", "docs/decisions": "", "b.md": "# B",
		}
		raw, ok := there[file]
		return raw, ok
	}
	for content, want := range map[string]int{
		"[a](a.md), [a](#a-page), [a](a.md#assay-keys-who-may-and-who-not), [x](a.md#x), [l](#a-link)": 0,
		"[folder](decisions/), [up](../b.md#b), [far](https://example.org/a.md#b)":                     0,
		"`[code](no.md)`\n```\n[code](no.md)\n```\n":                                                   0,
		"[gone](no.md)":                    1,
		"[up](b.md)":                       1,
		"[part](a.md#b), [c](#no-heading)": 2,
		"![picture](images/no.png)":        1,
	} {
		if got := broken("docs/a.md", content, text); len(got) != want {
			t.Errorf("%q: %v, want %d", content, got, want)
		}
	}
}
