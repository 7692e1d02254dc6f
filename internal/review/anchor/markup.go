package anchor

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

var (
	// xmlFiles are the extensions of XML files.
	xmlFiles = wordSet(".xml .svg .csproj .vbproj .fsproj .props .targets .xsd .xsl .xslt .plist .pom .resx .xaml .nuspec .storyboard .xib")

	// unparsedMarkup are markup languages without a parser here.
	unparsedMarkup = languages("HTML", "vue", "Svelte")

	// voidTags never have an end tag in HTML; optionalEndTags may lack it.
	voidTags        = wordSet("area base br col embed hr img input link meta param source track wbr")
	optionalEndTags = wordSet("li p td th tr dt dd option optgroup thead tbody tfoot colgroup caption body head html rp rt")
)

// validXML reports whether a file is well-formed. A file that declares another encoding than UTF-8 counts
// as malformed. known is false if the file is too large.
func validXML(b []byte) (valid, known bool) {
	if len(b) > maxLayout {
		return false, false
	}
	for d := xml.NewDecoder(bytes.NewReader(b)); ; {
		if _, err := d.Token(); err != nil {
			return errors.Is(err, io.EOF), true
		}
	}
}

// tagsOf returns the elements that lines of markup end and begin, without those that lie wholly inside
// them.
func tagsOf(language string, lines []string) string {
	text := strings.Join(lines, "\n")
	var closes, open []string
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '<')
		if i < 0 {
			return strings.Join(closes, " ") + "|" + strings.Join(open, " ")
		}
		begin := at + i
		at = begin + 1
		end := strings.HasPrefix(text[at:], "/")
		if begin > 0 && !end && language != "HTML" && partOfWord(rune(text[begin-1])) { // the type of a value
			continue
		}
		if end {
			at++
		}
		from := at
		for at < len(text) && (letter(text[at]) || at > from && strings.IndexByte("0123456789-_.:", text[at]) >= 0) {
			at++
		}
		name := text[from:at]
		if name == "" {
			continue
		}
		quote := byte(0)
		for ; at < len(text) && (quote != 0 || text[at] != '>' || text[at-1] == '='); at++ {
			switch c := text[at]; {
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			case c == quote:
				quote = 0
			}
		}
		switch n := len(open); {
		case at == len(text):
			open = append(open, "<"+name)
		case voidTags[strings.ToLower(name)], text[at-1] == '/', language == "HTML" && optionalEndTags[strings.ToLower(name)]:
		case !end:
			open = append(open, name)
		case n > 0 && open[n-1] == name:
			open = open[:n-1]
		default:
			closes = append(closes, name)
		}
	}
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
