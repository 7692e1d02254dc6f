package httpapi

import (
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance"
)

// setupInput is a field of a form in the first run.
type setupInput struct {
	ID           string // of the element: the step and the name
	Name         string // in the form, and the last part of error pointers
	Label, Hint  string
	Type         string // HTML input type; "textarea" for several lines
	Autocomplete string // WHATWG HTML, "Autofill"
	Max          int    // characters
	Optional     bool
	Implied      bool // another field may contain it
	ReadOnly     bool
	Secret       bool   // not shown again
	Value        string // its content
	Wrong        string // the error; "" if the field is valid
	Focus        bool   // the first field with an error
}

// Required reports whether the browser sends the form only with this field.
func (i setupInput) Required() bool { return !i.Optional && !i.Implied }

// DescribedBy returns the ids of the elements that explain the field.
func (i setupInput) DescribedBy() string {
	var ids []string
	if i.Hint != "" {
		ids = append(ids, i.ID+"-hint")
	}
	if i.Wrong != "" {
		ids = append(ids, i.ID+"-wrong")
	}
	return strings.Join(ids, " ")
}

// setupInputs returns the fields of a step's form with their initial values.
func setupInputs(step string, p instance.Progress) []setupInput {
	host := setupInput{Name: "baseUrl", Label: "GitHub Enterprise Server",
		Hint: "Its address, such as https://github.example.com. Empty: github.com.", Type: "url", Autocomplete: "off", Optional: true,
		Max: longest[SetupRegisterApp]("baseUrl")}
	var all []setupInput
	switch step {
	case "token":
		all = []setupInput{{Name: "token", Label: "Setup token", Hint: "Begins with assay_setup_.", Type: "password", Autocomplete: "off",
			Secret: true, Max: longest[SetupToken]("token")}}
	case "instance":
		reach := setupInput{Name: "publicBaseUrl", Label: "Public base URL", Type: "url", Autocomplete: "off", Value: p.PublicBaseURL,
			ReadOnly: p.BaseURLFixed, Max: longest[instance.SetupInstance]("publicBaseUrl"),
			Hint: "Under which browsers and the code host reach the service. An address of this machine alone (localhost, 127.0.0.1) " +
				"works for trying out only."}
		if p.BaseURLFixed {
			reach.Hint = "The configuration of the process sets it."
		}
		all = []setupInput{{Name: "name", Label: "Name of the instance", Type: "text", Autocomplete: "off", Value: p.Name,
			Max: longest[instance.SetupInstance]("name")}, reach}
	case "app":
		all = []setupInput{
			{Name: "organization", Label: "Organisation that owns the app", Hint: "Its login name. Empty: your own account.", Type: "text",
				Autocomplete: "off", Optional: true, Max: 100},
			{Name: "name", Label: "Name of the app", Hint: fmt.Sprintf("At most %d characters. The name must be free on GitHub.",
				github.MaxAppName), Type: "text", Autocomplete: "off", Max: github.MaxAppName,
				Value: github.AppName(p.Name)},
			host,
		}
	case "register":
		all = []setupInput{
			host,
			{Name: "appId", Label: "App id", Hint: "The number on the app's page.", Type: "text", Autocomplete: "off", Max: 16},
			{Name: "privateKey", Label: "Private key", Hint: "The whole .pem file that GitHub gave you.", Type: "textarea",
				Autocomplete: "off", Secret: true, Max: longest[SetupRegisterApp]("privateKey")},
			{Name: "webhookSecret", Label: "Webhook secret", Type: "password", Autocomplete: "off", Secret: true,
				Max: longest[SetupRegisterApp]("webhookSecret")},
			{Name: "clientId", Label: "Client id", Type: "text", Autocomplete: "off", Max: longest[SetupRegisterApp]("clientId")},
			{Name: "clientSecret", Label: "Client secret", Type: "password", Autocomplete: "off", Secret: true,
				Max: longest[SetupRegisterApp]("clientSecret")},
		}
	case "connection":
		all = connectionInputs(p)
	case "tenant":
		all = []setupInput{
			{Name: "tenantName", Label: "Name of the first tenant", Hint: "An organisation, a department or a team, with members, rules " +
				"and keys of its own.", Type: "text", Autocomplete: "organization", Value: p.Name, Max: longest[instance.SetupFinish]("tenantName")},
			{Name: "adminName", Label: "Name of its admin", Hint: "The admin also manages the instance. You get a one-time link that " +
				"signs in under this name.", Type: "text", Autocomplete: "name", Max: longest[instance.SetupFinish]("adminName")},
		}
	}
	for i := range all {
		all[i].ID = step + "-" + all[i].Name
	}
	return all
}

// longest returns the maximum length of a property in the interface's schema.
func longest[T any](property string) int {
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name == property {
			n, _ := strconv.Atoi(t.Field(i).Tag.Get("maxLength")) // every text of a request has one
			return n
		}
	}
	return 0
}

// checkInputs checks required fields and maximum lengths, which the schema checks for programs.
func checkInputs(all []setupInput, values url.Values) error {
	var wrong []errs.Field
	for _, i := range all {
		switch v := strings.TrimSpace(values.Get(i.Name)); {
		case v == "" && !i.Optional && !i.ReadOnly:
			wrong = append(wrong, errs.Field{Pointer: "/" + i.Name, Message: "is needed"})
		case utf8.RuneCountInString(v) > i.Max:
			wrong = append(wrong, errs.Field{Pointer: "/" + i.Name, Message: fmt.Sprintf("must have at most %d characters", i.Max)})
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return &errs.Error{Kind: errs.Invalid, Message: "Something is missing or too long.", Fields: wrong}
}

// entry is the content of a refused form.
type entry struct {
	step   string
	values url.Values
	err    error // nil if no form was sent
}

// filled returns the fields of a step, with the entered values if this step was refused. Secrets must be
// entered again.
func (e entry) filled(step string, p instance.Progress) []setupInput {
	all := setupInputs(step, p)
	if e.err == nil || e.step != step {
		return all
	}
	wrong := map[string]string{}
	if own, ok := errorOf(e.err); ok {
		for _, f := range own.Fields {
			wrong[inputOf(f.Pointer)] = sentence(f.Message)
		}
	}
	focused := false
	for i := range all {
		in := &all[i]
		if !in.Secret && !in.ReadOnly {
			in.Value = e.values.Get(in.Name)
		}
		in.Wrong = wrong[in.Name]
		in.Focus = in.Wrong != "" && !focused
		focused = focused || in.Focus
	}
	return all
}

// inputOf returns the field name of a pointer: its last part, or the list's name for an element of a list.
func inputOf(pointer string) string {
	list, name := "", pointer
	if i := strings.LastIndexByte(pointer, '/'); i >= 0 {
		list, name = pointer[:i], pointer[i+1:]
	}
	if _, err := strconv.Atoi(name); err == nil {
		return list[strings.LastIndexByte(list, '/')+1:]
	}
	return name
}

// sentence converts a message that follows a field's name to a sentence.
func sentence(message string) string {
	first, size := utf8.DecodeRuneInString(message)
	return strings.TrimSuffix(strings.ToUpper(string(first))+message[size:], ".") + "."
}
