package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// assetsPath is where the files of the console are.
const assetsPath = "/assets/console/"

// maxConsole bounds what a build of the console may have in memory, in bytes, with
// the packed forms (design choice): one that grew beyond it is a mistake.
const maxConsole = 32 << 20

// consoleFiles are the built console in memory. They never change.
type consoleFiles struct {
	index  string // with the places that [consoleFiles.page] fills
	assets map[string]*asset
}

// asset is a file of the console in the forms that it was built in, by the name of
// their encoding, "" for the plain one.
type asset struct {
	kind  string // media type
	hash  string // of the plain form
	forms map[string][]byte
}

// The places of index.html that each answer fills. A build without them is refused.
const (
	noncePlace = `<meta name="csp-nonce" content="" />`
	demoPlace  = `<meta name="assay-demo" content="" />`
)

// packed are the encodings that a build may have, the best first, with the ends of
// the names of their files.
var packed = []struct{ encoding, end string }{{"br", ".br"}, {"gzip", ".gz"}}

// readConsole reads a build of the console: index.html, and below assetsPath its
// files with their packed forms.
func readConsole(built fs.FS) (*consoleFiles, error) {
	index, err := fs.ReadFile(built, "index.html")
	if err != nil {
		return nil, fmt.Errorf("the console: %w", err)
	}
	for _, place := range []string{noncePlace, demoPlace} {
		if strings.Count(string(index), place) != 1 {
			return nil, fmt.Errorf("the console: index.html must have %s once", place)
		}
	}
	c := &consoleFiles{index: string(index), assets: map[string]*asset{}}
	dir, size := strings.Trim(assetsPath, "/"), len(index)
	files, err := fs.ReadDir(built, dir)
	if err != nil {
		return nil, fmt.Errorf("the console: %w", err)
	}
	for _, f := range files {
		raw, err := fs.ReadFile(built, path.Join(dir, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("the console: %w", err)
		}
		if size += len(raw); size > maxConsole {
			return nil, errors.New("the console: the build is too large")
		}
		name, encoding := f.Name(), ""
		for _, p := range packed {
			if plain, is := strings.CutSuffix(name, p.end); is {
				name, encoding = plain, p.encoding
			}
		}
		a := c.assets[name]
		if a == nil {
			a = &asset{kind: mediaType(name), forms: map[string][]byte{}}
			c.assets[name] = a
		}
		if a.forms[encoding] = raw; encoding == "" {
			sum := sha256.Sum256(raw)
			a.hash = hex.EncodeToString(sum[:12])
		}
	}
	for name, a := range c.assets {
		if a.hash == "" {
			return nil, fmt.Errorf("the console: %s has only packed forms", name)
		}
	}
	return c, nil
}

// mediaType is the type of a file by its name: the few that a build makes are the
// same on every machine.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// hashed are names that hold a hash of their content, as Vite writes them.
var hashed = regexp.MustCompile(`-[A-Za-z0-9_-]{8}\.[a-z0-9]+$`)

// consoleAsset answers with a file of the console. Where its name holds a hash of its
// content, browsers keep it for good, and ask about others; what is not there is not kept at all:
// another process may be of a version that has it.
func (s *server) consoleAsset(w http.ResponseWriter, r *http.Request) {
	var a *asset
	if s.console != nil {
		a = s.console.assets[r.PathValue("file")]
	}
	if a == nil {
		http.Error(w, "This file is not part of the console that is served here.", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	encoding := a.choose(r.Header.Values("Accept-Encoding"))
	tag := a.hash
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
		tag += "-" + encoding
	}
	h.Set("ETag", `"`+tag+`"`)
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache")
	if hashed.MatchString(r.PathValue("file")) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.forms[encoding]))
}

// choose picks the best form that a browser takes (RFC 9110, 12.5.3). The plain
// form is there for whoever takes none, as the header cannot be relied on.
func (a *asset) choose(accept []string) string {
	takes, others := map[string]bool{}, false
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, weight, weighs := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		wanted := true
		if weighs {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
			wanted = err == nil && q > 0
		}
		if name == "*" {
			others = wanted
			continue
		}
		takes[name] = wanted
	}
	for _, p := range packed {
		wanted, named := takes[p.encoding]
		if a.forms[p.encoding] != nil && (wanted || !named && others) {
			return p.encoding
		}
	}
	return ""
}
