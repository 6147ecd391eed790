//! The character sets that iconv knows by name, and its differences from their tables.
//!
//! Each is the one of glibc 2.41 and was compared with it code by code; differing user-defined
//! areas, gaps and signs are listed here.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, IBM866, ISO_2022_JP, ISO_8859_2, ISO_8859_3,
    ISO_8859_4, ISO_8859_5, ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_10, ISO_8859_13,
    ISO_8859_14, ISO_8859_15, ISO_8859_16, KOI8_R, KOI8_U, MACINTOSH, SHIFT_JIS, WINDOWS_874,
    WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255,
    WINDOWS_1256, WINDOWS_1257, WINDOWS_1258, X_MAC_CYRILLIC,
};

use super::charset::Charset;
use super::charset::Table::{Escapes, Upper, Web};
use super::charset::Without::{Cells, Codes, Controls};

/// Returns the character set with a name, in any case.
pub fn find(label: &[u8]) -> Option<&'static Charset> {
    CHARSETS.iter().find(|charset| charset.is_called(label))
}

/// Returns the character set of a table of the standard.
const fn web(table: &'static Encoding, names: &'static str) -> Charset {
    Charset::new(Web(table), names)
}

static CHARSETS: &[Charset] = &[
    Charset::new(Upper(""), "ISO-8859-1 ISO8859-1 ISO88591 ISO_8859-1 ISO_8859-1:1987 8859_1 ISO-IR-100 LATIN1 LATIN-1 L1 CP819 IBM819 CSISOLATIN1"),
    Charset::new(Upper(""), "US-ASCII ASCII US ANSI_X3.4-1968 ANSI_X3.4-1986 ISO646-US ISO-IR-6 CP367 IBM367 CSASCII ISO_646.IRV:1991")
        .without(&[Codes(0x80, 0xff)]),
    web(ISO_8859_2, "ISO-8859-2 ISO8859-2 ISO88592 ISO_8859-2 8859_2 ISO-IR-101 LATIN2 L2 CP912 IBM912 CSISOLATIN2 ISO_8859-2:1987"),
    web(ISO_8859_3, "ISO-8859-3 ISO8859-3 ISO88593 ISO_8859-3 8859_3 ISO-IR-109 LATIN3 L3 CSISOLATIN3 ISO_8859-3:1988"),
    web(ISO_8859_4, "ISO-8859-4 ISO8859-4 ISO88594 ISO_8859-4 8859_4 ISO-IR-110 LATIN4 L4 CSISOLATIN4 ISO_8859-4:1988"),
    web(ISO_8859_5, "ISO-8859-5 ISO8859-5 ISO88595 ISO_8859-5 8859_5 ISO-IR-144 CYRILLIC CP915 IBM915 CSISOLATINCYRILLIC ISO_8859-5:1988"),
    web(ISO_8859_6, "ISO-8859-6 ISO8859-6 ISO88596 ISO_8859-6 8859_6 ISO-IR-127 ARABIC ASMO-708 ECMA-114 CP1089 IBM1089 CSISOLATINARABIC ISO_8859-6:1987"),
    web(ISO_8859_7, "ISO-8859-7 ISO8859-7 ISO88597 ISO_8859-7 8859_7 ISO-IR-126 GREEK GREEK8 ECMA-118 ELOT_928 CP813 IBM813 CSISOLATINGREEK ISO_8859-7:1987 ISO_8859-7:2003"),
    web(ISO_8859_8, "ISO-8859-8 ISO8859-8 ISO88598 ISO_8859-8 8859_8 ISO-IR-138 HEBREW CP916 IBM916 CSISOLATINHEBREW ISO_8859-8:1988"),
    web(ISO_8859_10, "ISO-8859-10 ISO8859-10 ISO885910 ISO_8859-10 ISO-IR-157 LATIN6 L6 CSISOLATIN6 ISO_8859-10:1992"),
    web(ISO_8859_13, "ISO-8859-13 ISO8859-13 ISO885913 ISO-IR-179 LATIN7 L7 BALTIC"),
    web(ISO_8859_14, "ISO-8859-14 ISO8859-14 ISO885914 ISO_8859-14 ISO-IR-199 ISO-CELTIC LATIN8 L8 ISO_8859-14:1998"),
    web(ISO_8859_15, "ISO-8859-15 ISO8859-15 ISO885915 ISO_8859-15 ISO-IR-203 LATIN9 LATIN-9 ISO_8859-15:1998"),
    web(ISO_8859_16, "ISO-8859-16 ISO8859-16 ISO885916 ISO_8859-16 ISO-IR-226 LATIN10 L10 ISO_8859-16:2001"),
    web(WINDOWS_1254, "ISO-8859-9 ISO8859-9 ISO88599 ISO_8859-9 8859_9 ISO-IR-148 LATIN5 L5 ECMA-128 TS-5881 CP920 IBM920 CSISOLATIN5 ISO_8859-9:1989")
        .controls(&[(0x80, 0x9f)]),
    web(WINDOWS_874, "ISO-8859-11 ISO8859-11 ISO885911").controls(&[(0x80, 0x9f)]),
    web(WINDOWS_874, "TIS-620 TIS620 TIS620-0 TIS620.2529-1 TIS620.2533-0 ISO-IR-166")
        .without(&[Codes(0x80, 0xa0)]),
    web(WINDOWS_874, "CP874 WINDOWS-874").without(&[Controls]),
    web(WINDOWS_1250, "CP1250 WINDOWS-1250 MS-EE").without(&[Controls]),
    web(WINDOWS_1251, "CP1251 WINDOWS-1251 MS-CYRL").without(&[Controls]),
    web(WINDOWS_1252, "CP1252 WINDOWS-1252 MS-ANSI").without(&[Controls]),
    web(WINDOWS_1253, "CP1253 WINDOWS-1253 MS-GREEK").without(&[Controls]),
    web(WINDOWS_1254, "CP1254 WINDOWS-1254 MS-TURK").without(&[Controls]),
    web(WINDOWS_1255, "CP1255 WINDOWS-1255 MS-HEBR").without(&[Controls, Codes(0xca, 0xca)]),
    web(WINDOWS_1256, "CP1256 WINDOWS-1256 MS-ARAB").without(&[Controls]),
    web(WINDOWS_1257, "CP1257 WINDOWS-1257 WINBALTRIM").without(&[Controls]),
    web(WINDOWS_1258, "CP1258 WINDOWS-1258").without(&[Controls]),
    web(KOI8_R, "KOI8-R KOI8R CSKOI8R"),
    web(KOI8_U, "KOI8-U KOI8U").other(&[(0xae, '\u{255d}'), (0xbe, '\u{256c}')]),
    web(KOI8_U, "KOI8-RU")
        .other(&[
            (0x93, '\u{201c}'),
            (0x96, '\u{201d}'),
            (0x97, '\u{2014}'),
            (0x98, '\u{2116}'),
            (0x99, '\u{2122}'),
            (0x9b, '\u{bb}'),
            (0x9c, '\u{ae}'),
            (0x9d, '\u{ab}'),
            (0x9f, '\u{a4}'),
        ]),
    web(MACINTOSH, "MACINTOSH MAC CSMACINTOSH").other(&[(0xc6, '\u{394}'), (0xf0, '\u{e01e}')]),
    web(X_MAC_CYRILLIC, "MAC-CYRILLIC").other(&[(0xff, '\u{a4}')]),
    web(IBM866, "IBM866 CP866 866 CSIBM866"),
    Charset::new(Upper(
            "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}",
        ), "IBM437 CP437 437 CSPC8CODEPAGE437"),
    Charset::new(Upper(
            "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
        ), "IBM850 CP850 850 CSPC850MULTILINGUAL"),
    Charset::new(Upper(
            "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}",
        ), "IBM852 CP852 852 CSPCP852"),
    Charset::new(Upper(
            "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
        ), "CP858"),
    web(SHIFT_JIS, "SJIS SHIFT_JIS SHIFT-JIS MS_KANJI CSSHIFTJIS")
        .without(&[
            Codes(0x80, 0x80),
            Cells((0x87, 0x87), (0x40, 0x9c)),
            Cells((0xed, 0xee), (0x40, 0xfc)),
            Cells((0xf0, 0xfc), (0x40, 0xfc)),
        ])
        .other(&[
            (0x5c, '\u{a5}'),
            (0x7e, '\u{203e}'),
            (0x8160, '\u{301c}'),
            (0x8161, '\u{2016}'),
            (0x817c, '\u{2212}'),
            (0x8191, '\u{a2}'),
            (0x8192, '\u{a3}'),
            (0x81ca, '\u{ac}'),
        ]),
    web(SHIFT_JIS, "CP932 WINDOWS-31J MS932 SJIS-OPEN SJIS-WIN CSWINDOWS31J")
        .without(&[Codes(0x80, 0x80)]),
    web(EUC_JP, "EUC-JP EUCJP UJIS CSEUCPKDFMTJAPANESE")
        .without(&[Cells((0xad, 0xad), (0xa1, 0xfe)), Cells((0xf9, 0xfc), (0xa1, 0xfe))])
        .controls(&[(0x80, 0x8d), (0x90, 0x9f)])
        .other(&[
            (0xa1c1, '\u{301c}'),
            (0xa1c2, '\u{2016}'),
            (0xa1dd, '\u{2212}'),
            (0xa1f1, '\u{a2}'),
            (0xa1f2, '\u{a3}'),
            (0xa2cc, '\u{ac}'),
        ]),
    Charset::new(Escapes(ISO_2022_JP), "ISO-2022-JP ISO2022JP CSISO2022JP"),
    web(EUC_KR, "EUC-KR EUCKR CSEUCKR")
        .without(&[Cells((0xa0, 0xa0), (0x41, 0xfe)), Cells((0xa1, 0xc6), (0x41, 0xa0))])
        .controls(&[(0x80, 0x9f)])
        .other(&[(0xa2e8, '\u{327e}')]),
    web(EUC_KR, "UHC CP949 MSCP949"),
    web(GBK, "EUC-CN EUCCN GB2312 CN-GB CSGB2312")
        .without(&[
            Codes(0x80, 0x80),
            Codes(0x8130_8130, 0xfe39_fe39),
            Cells((0x81, 0xa0), (0x40, 0xfe)),
            Cells((0xa1, 0xf7), (0x40, 0xa0)),
            Cells((0xa2, 0xa2), (0xa1, 0xb0)),
            Cells((0xa2, 0xa2), (0xe3, 0xe4)),
            Cells((0xa2, 0xa2), (0xef, 0xf0)),
            Cells((0xa2, 0xa2), (0xfd, 0xfe)),
            Cells((0xa4, 0xa4), (0xf4, 0xfe)),
            Cells((0xa5, 0xa5), (0xf7, 0xfe)),
            Cells((0xa6, 0xa6), (0xb9, 0xc0)),
            Cells((0xa6, 0xa6), (0xd9, 0xfe)),
            Cells((0xa7, 0xa7), (0xc2, 0xd0)),
            Cells((0xa7, 0xa7), (0xf2, 0xfe)),
            Cells((0xa8, 0xa8), (0xbb, 0xc4)),
            Cells((0xa8, 0xa8), (0xea, 0xfe)),
            Cells((0xa9, 0xa9), (0xa1, 0xa3)),
            Cells((0xa9, 0xa9), (0xf0, 0xfe)),
            Cells((0xaa, 0xaf), (0xa1, 0xfe)),
            Cells((0xd7, 0xd7), (0xfa, 0xfe)),
            Cells((0xf8, 0xfe), (0x40, 0xfe)),
        ])
        .other(&[(0xa1a4, '\u{30fb}'), (0xa1aa, '\u{2015}')]),
    web(GBK, "GBK CP936 MS936 WINDOWS-936 GB13000")
        .without(&[
            Codes(0x8130_8130, 0xfe39_fe39),
            Cells((0xa1, 0xa7), (0x40, 0xa0)),
            Cells((0xa2, 0xa2), (0xab, 0xb0)),
            Cells((0xa2, 0xa2), (0xe3, 0xe4)),
            Cells((0xa2, 0xa2), (0xef, 0xf0)),
            Cells((0xa2, 0xa2), (0xfd, 0xfe)),
            Cells((0xa4, 0xa4), (0xf4, 0xfe)),
            Cells((0xa5, 0xa5), (0xf7, 0xfe)),
            Cells((0xa6, 0xa6), (0xb9, 0xc0)),
            Cells((0xa6, 0xa6), (0xd9, 0xdf)),
            Cells((0xa6, 0xa6), (0xec, 0xed)),
            Cells((0xa6, 0xa6), (0xf3, 0xf3)),
            Cells((0xa6, 0xa6), (0xf6, 0xfe)),
            Cells((0xa7, 0xa7), (0xc2, 0xd0)),
            Cells((0xa7, 0xa7), (0xf2, 0xfe)),
            Cells((0xa8, 0xa8), (0x96, 0xa0)),
            Cells((0xa8, 0xa8), (0xbc, 0xbc)),
            Cells((0xa8, 0xa8), (0xbf, 0xbf)),
            Cells((0xa8, 0xa8), (0xc1, 0xc4)),
            Cells((0xa8, 0xa8), (0xea, 0xfe)),
            Cells((0xa9, 0xa9), (0x58, 0x58)),
            Cells((0xa9, 0xa9), (0x5b, 0x5b)),
            Cells((0xa9, 0xa9), (0x5d, 0x5f)),
            Cells((0xa9, 0xa9), (0x89, 0x95)),
            Cells((0xa9, 0xa9), (0x97, 0xa3)),
            Cells((0xa9, 0xa9), (0xf0, 0xfe)),
            Cells((0xaa, 0xaf), (0xa1, 0xfe)),
            Cells((0xd7, 0xd7), (0xfa, 0xfe)),
            Cells((0xf8, 0xfd), (0xa1, 0xfe)),
            Cells((0xfe, 0xfe), (0x50, 0xfe)),
        ]),
    web(GB18030, "GB18030")
        .without(&[
            Codes(0x80, 0x80),
            Codes(0x8235_9037, 0x8235_9134),
            Codes(0x8431_8236, 0x8431_8335),
        ])
        .other(&[
            (0xa3a0, '\u{e5e5}'),
            (0xfe51, '\u{20087}'),
            (0xfe52, '\u{20089}'),
            (0xfe53, '\u{200cc}'),
            (0xfe6c, '\u{215d7}'),
            (0xfe76, '\u{2298f}'),
            (0xfe91, '\u{241fe}'),
        ]),
    web(BIG5, "BIG5 BIG-5 BIG-FIVE BIGFIVE CN-BIG5 CP950")
        .without(&[
            Cells((0x87, 0xa0), (0x40, 0xfe)),
            Cells((0xa3, 0xa3), (0xc0, 0xe0)),
            Cells((0xfa, 0xfe), (0x40, 0xfe)),
        ])
        .controls(&[(0x80, 0x80)])
        .other(&[(0xf9fe, '\u{2593}')]),
];
