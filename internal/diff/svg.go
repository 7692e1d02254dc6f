package diff

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of an image that counts as data.
const (
	maxPictureDepth  = 100
	maxPictureTokens = 500_000
)

// pictureElements are the SVG elements (https://www.w3.org/TR/SVG2/eltindex.html) that only display
// something. They do not run, fetch or change other elements.
var pictureElements = words(`svg g path rect circle ellipse line polyline polygon text tspan textPath defs title desc metadata
	linearGradient radialGradient meshgradient meshrow meshpatch stop clipPath mask pattern symbol use image marker filter style switch
		view hatch hatchpath
	feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow
	feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting
	feSpotLight feTile feTurbulence`)

// pictureAttributes are the allowed attributes of these elements, besides data-* and aria-*.
var pictureAttributes = words(`id class style lang space role version baseProfile viewBox preserveAspectRatio width height x y x1 y1
	x2 y2 cx cy r rx ry fx fy fr d
	points pathLength transform transform-origin href type media title tabindex focusable enable-background contentScriptType contentStyleType
	clip clip-path clip-rule clipPathUnits color color-interpolation color-interpolation-filters color-rendering cursor direction display
	dominant-baseline alignment-baseline baseline-shift fill fill-opacity fill-rule filter flood-color flood-opacity font font-family font-size
	font-size-adjust font-stretch font-style font-variant font-weight image-rendering isolation letter-spacing lighting-color
		line-height marker marker-end
	marker-mid marker-start mask mask-type mix-blend-mode opacity overflow paint-order pointer-events shape-rendering solid-color solid-opacity
	stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity
	stroke-width text-anchor text-decoration text-overflow text-rendering unicode-bidi vector-effect visibility white-space word-spacing
	writing-mode dx dy rotate textLength lengthAdjust startOffset method side spacing offset gradientUnits gradientTransform spreadMethod
	patternUnits patternContentUnits patternTransform markerUnits markerWidth markerHeight refX refY orient maskUnits maskContentUnits
	filterUnits primitiveUnits filterRes in in2 result mode operator k1 k2 k3 k4 values stdDeviation edgeMode kernelMatrix kernelUnitLength
	order divisor bias targetX targetY preserveAlpha surfaceScale diffuseConstant specularConstant specularExponent azimuth elevation z
	pointsAtX pointsAtY pointsAtZ limitingConeAngle scale xChannelSelector yChannelSelector radius baseFrequency numOctaves seed
	stitchTiles tableValues slope intercept amplitude exponent requiredFeatures requiredExtensions systemLanguage alt`)

const svgSpace = "http://www.w3.org/2000/svg"

// pictureSpaces are the namespaces in which drawing programs store their own data.
var pictureSpaces = words(`http://www.inkscape.org/namespaces/inkscape http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd
	http://www.w3.org/1999/02/22-rdf-syntax-ns# http://creativecommons.org/ns# http://web.resource.org/cc/ http://purl.org/dc/elements/1.1/
	http://www.bohemiancoding.com/sketch/ns http://www.serif.com/ http://www.figma.com/figma/ns http://vectornator.io`)

var (
	// runnable matches markup that runs, or fetches code, when a page displays it.
	runnable = regexp.MustCompile(`(?i)<\s*/?\s*([\w-]+:)?(script|iframe|foreignobject|applet)\b|` +
		`<\s*(object|embed|meta|base|form|handler|listener)\s[^>]*=|<[^>]*[\s/"']on\w+\s*=|` +
		`(java|vb|live)\s*script\s*:|data\s*:\s*text/html|<!ENTITY|<\?(php|=|xml-stylesheet)`)
	// activeValue matches signs of an active value, after white space and letter case are removed.
	activeValue  = regexp.MustCompile(`script:|data:|expression\(|@|behavior:|-moz-binding|\\|<|image\(|image-set\(|src\(`)
	pictureURL   = regexp.MustCompile(`url\(["']?(.?)`)
	pictureImage = regexp.MustCompile(`^data:image/(png|jpe?g|gif|webp|avif|bmp);base64,[A-Za-z0-9+/=]*$`)
)

func words(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

// isPicture reports whether a text is an SVG image that only displays something: XML with known elements
// and attributes, whose values run and fetch nothing.
func isPicture(content []byte) bool {
	dec := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(content, []byte("\uFEFF"))))
	p := picture{}
	for range maxPictureTokens {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return p.roots == 1 && p.depth == 0
		}
		if err != nil || !p.harmless(token) {
			return false
		}
	}
	return false
}

// picture is the state of the parser of an image.
type picture struct {
	depth, roots int
	style        bool // inside a style sheet
}

// harmless reports whether the next token may be part of an image that only displays something.
func (p *picture) harmless(token xml.Token) bool {
	switch t := token.(type) {
	case xml.StartElement:
		if p.depth++; p.depth > maxPictureDepth || p.style {
			return false
		}
		if p.depth == 1 {
			p.roots++
		}
		p.style = t.Name.Local == "style" && t.Name.Space == svgSpace
		return p.element(t)
	case xml.EndElement:
		p.depth--
		p.style = false
	case xml.CharData:
		text := string(t)
		return (p.depth > 0 || strings.TrimSpace(text) == "") && (!p.style || plainStyle(text))
	case xml.ProcInst:
		return t.Target == "xml"
	case xml.Directive:
		return bytes.HasPrefix(t, []byte("DOCTYPE svg")) && bytes.IndexByte(t, '[') < 0
	}
	return true
}

func (p *picture) element(t xml.StartElement) bool {
	known := t.Name.Space == svgSpace && pictureElements[t.Name.Local] || p.depth > 1 && pictureSpaces[t.Name.Space]
	if t.Name.Space == "" { // an image inside a page has no namespace
		known = pictureElements[t.Name.Local]
		p.style = t.Name.Local == "style"
	}
	if !known || p.depth == 1 && t.Name.Local != "svg" {
		return false
	}
	for _, a := range t.Attr {
		if !plainAttribute(t.Name, a) {
			return false
		}
	}
	return true
}

func plainAttribute(element xml.Name, a xml.Attr) bool {
	name := a.Name.Local
	lower, value := strings.ToLower(name), squeezed(a.Value)
	switch {
	case a.Name.Space == "xmlns" || a.Name.Space == "" && name == "xmlns":
		return true
	case strings.HasPrefix(lower, "on"):
		return false
	case lower == "href" || lower == "src":
		return name == "href" && (strings.HasPrefix(value, "#") || element.Local == "image" && pictureImage.MatchString(withoutSpace(a.Value)))
	case pictureSpaces[a.Name.Space], pictureSpaces[element.Space] && a.Name.Space == "":
		return !runnable.MatchString(a.Value) && !strings.Contains(value, "script:")
	case a.Name.Space != "" && a.Name.Space != "http://www.w3.org/XML/1998/namespace" && a.Name.Space != "xml" &&
		a.Name.Space != "http://www.w3.org/1999/xlink":
		return false
	case !pictureAttributes[name] && !strings.HasPrefix(name, "data-") && !strings.HasPrefix(name, "aria-"):
		return false
	}
	return plainStyle(a.Value)
}

// plainStyle reports whether a value or a style sheet runs and fetches nothing.
func plainStyle(text string) bool {
	value := squeezed(text)
	for _, m := range pictureURL.FindAllStringSubmatch(value, -1) {
		if m[1] != "#" {
			return false
		}
	}
	return !activeValue.MatchString(value)
}

// squeezed returns a text as browsers compare it: in lower case, without white space and control
// characters.
func squeezed(text string) string { return strings.ToLower(withoutSpace(text)) }

func withoutSpace(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}
