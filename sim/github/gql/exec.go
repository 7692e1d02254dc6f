package gql

import (
	"fmt"
	"maps"
)

// Object is a node with selectable fields: a type name and resolvers by field name. Resolvers return scalars,
// Object, []Object or nil.
type Object struct {
	Type   string
	Fields map[string]Resolver
}

// Resolver computes a field. Variables in its arguments are already replaced.
type Resolver func(args map[string]any) (any, error)

// Value returns a resolver for a known value.
func Value(v any) Resolver { return func(map[string]any) (any, error) { return v, nil } }

// Error is an entry of "errors" in an answer.
type Error struct {
	Type       string         `json:"type,omitempty"`
	Message    string         `json:"message"`
	Path       []string       `json:"path,omitempty"`
	Extensions map[string]any `json:"extensions,omitempty"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

type executor struct {
	doc    *Document
	vars   map[string]any
	errors []*Error
}

// Select returns the operation with that name, or the only one if the name is empty; nil if no operation fits.
func (d *Document) Select(name string) *Operation {
	for i := range d.Operations {
		if d.Operations[i].Name == name || (name == "" && len(d.Operations) == 1) {
			return &d.Operations[i]
		}
	}
	return nil
}

// Exec runs the operation on the objects. It checks fields when it reaches them: an unknown one is an error
// with the code "undefinedField" in its extensions, beside the data of the others.
func Exec(doc *Document, op *Operation, vars map[string]any, root Object) (map[string]any, []*Error) {
	e := &executor{doc: doc, vars: maps.Clone(op.Defaults)}
	if e.vars == nil {
		e.vars = map[string]any{}
	}
	maps.Copy(e.vars, vars)
	for _, name := range op.Required {
		if e.vars[name] == nil {
			e.errors = append(e.errors, &Error{Message: fmt.Sprintf("Variable $%s of type was provided invalid value", name)})
		}
	}
	if len(e.errors) > 0 {
		return nil, e.errors
	}
	data := e.object(root, op.Fields, nil, 0)
	return data, e.errors
}

func (e *executor) object(o Object, fields []Selection, path []string, depth int) map[string]any {
	out := map[string]any{}
	if depth > maxDepth {
		e.errors = append(e.errors, &Error{Message: "the document is nested too deeply", Path: path})
		return out
	}
	for _, f := range fields {
		switch {
		case f.Spread != "":
			fragment, ok := e.doc.Fragments[f.Spread]
			if !ok {
				e.errors = append(e.errors, &Error{Message: "Fragment " + f.Spread + " was used, but not defined", Path: path})
				continue
			}
			if fragment.On == o.Type || fragment.On == "Node" {
				maps.Copy(out, e.object(o, fragment.Fields, path, depth+1))
			}
		case f.Inline:
			if f.On == "" || f.On == o.Type || f.On == "Node" {
				maps.Copy(out, e.object(o, f.Fields, path, depth+1))
			}
		case f.Name == "__typename":
			out[f.Alias] = o.Type
		default:
			out[f.Alias] = e.field(o, f, append(path[:len(path):len(path)], f.Alias), depth)
		}
	}
	return out
}

func (e *executor) field(o Object, f Selection, path []string, depth int) any {
	resolve, ok := o.Fields[f.Name]
	if !ok {
		e.errors = append(e.errors, &Error{Message: fmt.Sprintf("Field '%s' doesn't exist on type '%s'", f.Name, o.Type), Path: path,
			Extensions: map[string]any{"code": "undefinedField", "typeName": o.Type, "fieldName": f.Name}})
		return nil
	}
	args, _ := e.fill(f.Args).(map[string]any)
	v, err := resolve(args)
	if err != nil {
		failure, isOurs := err.(*Error)
		if !isOurs {
			failure = &Error{Message: err.Error()}
		}
		e.errors = append(e.errors, &Error{Type: failure.Type, Message: failure.Message, Path: path, Extensions: failure.Extensions})
		return nil
	}
	switch x := v.(type) {
	case Object:
		if len(f.Fields) == 0 {
			e.errors = append(e.errors, &Error{Message: fmt.Sprintf("Field must have selections (field '%s' returns %s but has no "+
				"selections)", f.Name, x.Type), Path: path})
			return nil
		}
		return e.object(x, f.Fields, path, depth+1)
	case []Object:
		list := make([]any, len(x))
		for i := range x {
			list[i] = e.object(x[i], f.Fields, path, depth+1)
		}
		return list
	}
	if len(f.Fields) > 0 && v != nil {
		e.errors = append(e.errors, &Error{Message: fmt.Sprintf("Selections can't be made on scalars (field '%s')", f.Name), Path: path})
		return nil
	}
	return v
}

// fill replaces variables in arguments.
func (e *executor) fill(v any) any {
	switch x := v.(type) {
	case Variable:
		return e.vars[string(x)]
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, item := range x {
			out[k] = e.fill(item)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = e.fill(item)
		}
		return out
	}
	return v
}
