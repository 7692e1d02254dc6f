package cases

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"reflect"
	"strconv"
)

// maxDepth is the deepest nesting of folders.
const maxDepth = 64

// maxSet is the most bytes of a file of a set. The file of AACR-Bench has one megabyte.
const maxSet = 64 << 20

// reader reads the versions of one case from a folder, and stays inside it.
type reader struct {
	root  *os.Root
	files int
	bytes int
}

// readRegular reads a plain file of at most limit bytes. It does not follow links.
func readRegular(root *os.Root, name string, limit int) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", quotedName(name), withoutPath(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s must be a plain file: links and devices are not read", quotedName(name))
	}
	if info.Size() > int64(limit) {
		return nil, fmt.Errorf("%s must have at most %d bytes", quotedName(name), limit)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", quotedName(name), withoutPath(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", quotedName(name), withoutPath(err))
	case len(b) > limit: // it has grown since
		return nil, fmt.Errorf("%s must have at most %d bytes", quotedName(name), limit)
	}
	return b, nil
}

// withoutPath returns a file system error without the path, which the message contains.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}

// quotedName returns a name from a stranger's folder in a form that is safe for a terminal.
func quotedName(name string) string {
	if q := strconv.Quote(name); q != `"`+name+`"` {
		return q
	}
	return name
}

// tree reads all files below a folder of the root.
func (r *reader) tree(ctx context.Context, top string) (Files, error) {
	out := Files{}
	return out, r.walk(ctx, top, "", 0, out)
}

func (r *reader) walk(ctx context.Context, top, rel string, depth int, into Files) error {
	dir := path.Join(top, rel)
	if depth > maxDepth {
		return fmt.Errorf("%s: folders must be at most %d deep", top, maxDepth)
	}
	f, err := r.root.Open(dir)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", quotedName(dir), withoutPath(err))
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(256)
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			name := path.Join(rel, e.Name())
			if e.IsDir() {
				if err := r.walk(ctx, top, name, depth+1, into); err != nil {
					return err
				}
				continue
			}
			if r.files++; r.files > maxFiles {
				return fmt.Errorf("%s: the versions of a case must have at most %d files together", top, maxFiles)
			}
			b, err := readRegular(r.root, path.Join(top, name), maxFileBytes)
			if err != nil {
				return err
			}
			if r.bytes += len(b); r.bytes > maxBytes {
				return fmt.Errorf("%s: the versions of a case must have at most %d bytes together", top, maxBytes)
			}
			into[name] = string(b)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w", quotedName(dir), withoutPath(err))
		}
	}
}

// decodeStrict decodes exactly one JSON value. An error about an unknown field names the allowed ones.
func decodeStrict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := decodeOne(d, into)
	if err == nil {
		return nil
	}
	return cmp.Or(unknownField(raw, reflect.TypeOf(into), ""), err)
}

// decodeLenient decodes exactly one JSON value of a set whose publishers may add fields.
func decodeLenient(raw []byte, into any) error {
	return decodeOne(json.NewDecoder(bytes.NewReader(raw)), into)
}

func decodeOne(d *json.Decoder, into any) error {
	if err := d.Decode(into); err != nil {
		if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("%s must be of type %s", cmp.Or(t.Field, "it"), jsonType(t.Type))
		}
		if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
			return fmt.Errorf("it must be JSON: it is not at byte %d", wrong.Offset)
		}
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return errors.New("it must be JSON: it ends too early")
		}
		return err // an unknown field, by name
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("it must hold one JSON value, and more follows")
	}
	return nil
}

// jsonType returns the JSON name of a field's type.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "object"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	default:
		return "integer"
	}
}

// openRoot opens a folder from the configuration.
func openRoot(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be read: %w", quotedName(dir), withoutPath(err))
	}
	return root, nil
}

// names lists a folder with at most limit entries.
func names(root *os.Root, dir string, limit int) ([]os.DirEntry, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", quotedName(dir), withoutPath(err))
	}
	defer f.Close()
	entries, err := f.ReadDir(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s cannot be read: %w", quotedName(dir), withoutPath(err))
	}
	if len(entries) > limit {
		return nil, fmt.Errorf("%s must have at most %d entries", dir, limit)
	}
	return entries, nil
}
