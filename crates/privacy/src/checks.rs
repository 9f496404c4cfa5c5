//! Check digits: what tells a number that was issued from one that merely looks like it.
//!
//! Every function takes ASCII digits (or the letters its number has) without separators, and
//! answers whether the check holds. Anything of the wrong length is simply not one.

/// Card numbers, Canadian and Swedish numbers: every second digit doubled.
pub(crate) fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let value = value(*digit) << (at % 2);
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// IBANs: letters count from ten, the first four characters go last, the rest by 97 is one.
pub(crate) fn mod_97(code: &[u8]) -> bool {
    let moved = code.iter().skip(4).chain(code.iter().take(4));
    let rest = moved.fold(0_u32, |rest, one| match one {
        b'0'..=b'9' => (rest * 10 + value(*one)) % 97,
        _ => (rest * 100 + u32::from(one.to_ascii_uppercase() - b'A') + 10) % 97,
    });
    rest == 1
}

/// Indian Aadhaar numbers: the dihedral group of ten.
pub(crate) fn verhoeff(digits: &[u8]) -> bool {
    const TIMES: [[u8; 10]; 10] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
        [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
        [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
        [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
        [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
        [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
        [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
        [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
        [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    ];
    const MOVED: [[u8; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    let digits = digits.iter().rev().enumerate();
    0 == digits.fold(0_u8, |so_far, (at, digit)| {
        TIMES[usize::from(so_far)][usize::from(MOVED[at % 8][usize::from(digit - b'0')])]
    })
}

/// German tax numbers: one of the first ten digits occurs twice or three times, and ISO 7064.
pub(crate) fn german_tax(digits: &[u8]) -> bool {
    if digits.len() != 11 || digits[0] == b'0' {
        return false;
    }
    let mut seen = [0_u8; 10];
    for digit in &digits[..10] {
        seen[usize::from(digit - b'0')] += 1;
    }
    let repeated = seen.iter().filter(|count| **count > 1).count();
    if repeated != 1 || seen.iter().any(|count| *count > 3) {
        return false;
    }
    let product = digits[..10].iter().fold(10, |product, digit| {
        let sum = (value(*digit) + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - product) % 10 == value(digits[10])
}

/// French social security numbers: 97 less the rest of the first thirteen digits.
pub(crate) fn french(digits: &[u8]) -> bool {
    if digits.len() != 15 || !matches!(digits[0], b'1' | b'2' | b'3' | b'4' | b'7' | b'8') {
        return false;
    }
    let month = number(&digits[3..5]);
    let is_month = (1..=12).contains(&month) || (20..=42).contains(&month) || month >= 50;
    is_month && 97 - number(&digits[..13]) % 97 == number(&digits[13..])
}

/// The letter of a Spanish identity number.
pub(crate) fn spanish(digits: &[u8], letter: u8) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    usize::try_from(number(digits) % 23).is_ok_and(|at| LETTERS[at] == letter.to_ascii_uppercase())
}

/// The last letter of an Italian codice fiscale, in capitals.
pub(crate) fn italian(code: &[u8]) -> bool {
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    if code.len() != 16 {
        return false;
    }
    let sum: u32 = code[..15]
        .iter()
        .enumerate()
        .map(|(at, one)| {
            let from = if one.is_ascii_digit() { b'0' } else { b'A' };
            let place = one.saturating_sub(from).min(25);
            if at % 2 == 0 { ODD[usize::from(place)] } else { u32::from(place) }
        })
        .sum();
    u32::from(code[15]) == u32::from(b'A') + sum % 26
}

/// Weights times digits, summed.
pub(crate) fn weighted(digits: &[u8], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| value(*digit) * weight).sum()
}

/// Dutch citizen service numbers: the eleven test, the last digit counting against the rest.
pub(crate) fn dutch(digits: &[u8]) -> bool {
    digits.len() == 9
        && weighted(digits, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11 == value(digits[8])
        && digits.iter().any(|digit| *digit != b'0')
}

/// Polish PESEL: a date with the century in the month, and a weighted sum.
pub(crate) fn polish(digits: &[u8]) -> bool {
    digits.len() == 11
        && is_day(number(&digits[2..4]) % 20, number(&digits[4..6]))
        && weighted(digits, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10)
}

/// Swedish personal numbers, ten digits: a date (day plus 60 for coordination numbers) and Luhn.
pub(crate) fn swedish(digits: &[u8]) -> bool {
    digits.len() == 10 && {
        let day = number(&digits[4..6]);
        is_day(number(&digits[2..4]), if day > 60 { day - 60 } else { day }) && luhn(digits)
    }
}

/// Norwegian birth numbers: a date and two check digits.
pub(crate) fn norwegian(digits: &[u8]) -> bool {
    digits.len() == 11
        && is_day(number(&digits[2..4]), number(&digits[..2]) % 40)
        && weighted(digits, &[3, 7, 6, 1, 8, 9, 4, 5, 2, 1]).is_multiple_of(11)
        && weighted(digits, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

/// Turkish identity numbers: two check digits.
pub(crate) fn turkish(digits: &[u8]) -> bool {
    if digits.len() != 11 || digits[0] == b'0' {
        return false;
    }
    let odd: u32 = digits[..9].iter().step_by(2).map(|digit| value(*digit)).sum();
    let even: u32 = digits[1..8].iter().step_by(2).map(|digit| value(*digit)).sum();
    let all: u32 = digits[..10].iter().map(|digit| value(*digit)).sum();
    (odd * 7 + 100 - even) % 10 == value(digits[9]) && all % 10 == value(digits[10])
}

/// Brazilian CPF: two check digits, and not one digit all through.
pub(crate) fn brazilian(digits: &[u8]) -> bool {
    let check = |count: usize| {
        let weights: Vec<u32> = (2..=11).rev().skip(10 - count).collect();
        weighted(&digits[..count], &weights) * 10 % 11 % 10 == value(digits[count])
    };
    digits.len() == 11 && digits.iter().any(|one| *one != digits[0]) && check(9) && check(10)
}

/// Chinese identity numbers: a date of birth and a check character.
pub(crate) fn chinese(code: &[u8]) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    if code.len() != 18 || !code[..17].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let place = usize::try_from(weighted(&code[..17], &WEIGHTS) % 11).unwrap_or(0);
    matches!(number(&code[6..10]), 1880..=2100)
        && is_day(number(&code[10..12]), number(&code[12..14]))
        && b"10X98765432"[place] == code[17].to_ascii_uppercase()
}

/// Swiss AHV numbers: 756 and the check digit of an EAN.
pub(crate) fn swiss(digits: &[u8]) -> bool {
    digits.len() == 13
        && digits.starts_with(b"756")
        && weighted(digits, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]).is_multiple_of(10)
}

/// Belgian national numbers: a date, and 97 less the rest, with a 2 in front since 2000.
pub(crate) fn belgian(digits: &[u8]) -> bool {
    if digits.len() != 11 || !is_day(number(&digits[2..4]) % 20, number(&digits[4..6])) {
        return false;
    }
    let (first, check) = (number(&digits[..9]), number(&digits[9..]));
    97 - first % 97 == check || 97 - (2_000_000_000 + first) % 97 == check
}

/// Czech and Slovak birth numbers: a date (month plus 50 for women), divisible by eleven.
pub(crate) fn czech(digits: &[u8]) -> bool {
    digits.len() == 10
        && is_day(number(&digits[2..4]) % 50 % 20, number(&digits[4..6]))
        && number(digits).is_multiple_of(11)
}

/// Finnish identity codes: the check character of date and serial.
pub(crate) fn finnish(date: &[u8], serial: &[u8], letter: u8) -> bool {
    let place = (number(date) * 1000 + number(serial)) % 31;
    is_day(number(&date[2..4]), number(&date[..2]))
        && usize::try_from(place).is_ok_and(|at| b"0123456789ABCDEFHJKLMNPRSTUVWXY"[at] == letter)
}

/// British NHS numbers: ten digits, weights ten down to two, eleven.
pub(crate) fn nhs(digits: &[u8]) -> bool {
    digits.len() == 10 && weighted(digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

/// Portuguese tax numbers: nine digits, eleven.
pub(crate) fn portuguese(digits: &[u8]) -> bool {
    digits.len() == 9 && {
        let check = 11 - weighted(digits, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
        (if check > 9 { 0 } else { check }) == value(digits[8])
    }
}

/// Chilean RUT: weights two to seven from the right; eleven is 0 and ten is K.
pub(crate) fn chilean(digits: &[u8], check: u8) -> bool {
    let sum: u32 =
        digits.iter().rev().zip([2, 3, 4, 5, 6, 7, 2, 3]).map(|(d, w)| value(*d) * w).sum();
    match 11 - sum % 11 {
        11 => check == b'0',
        10 => check.eq_ignore_ascii_case(&b'k'),
        rest => check.is_ascii_digit() && rest == value(check),
    }
}

/// Argentinian CUIL: weights, eleven.
pub(crate) fn argentinian(digits: &[u8]) -> bool {
    digits.len() == 11
        && matches!(&digits[..2], b"20" | b"23" | b"24" | b"27")
        && weighted(digits, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

/// Estonian and Lithuanian personal codes: sex and century, a date, two rounds of weights.
pub(crate) fn baltic(digits: &[u8]) -> bool {
    if digits.len() != 11
        || !matches!(digits[0], b'1'..=b'6')
        || !is_day(number(&digits[3..5]), number(&digits[5..7]))
    {
        return false;
    }
    let first = weighted(digits, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
    let second = weighted(digits, &[3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11;
    value(digits[10]) == if first < 10 { first } else { second % 10 }
}

/// Croatian OIB: ISO 7064, modulo 11 and 10.
pub(crate) fn croatian(digits: &[u8]) -> bool {
    digits.len() == 11 && {
        let rest = digits[..10].iter().fold(10, |rest, digit| {
            let sum = (value(*digit) + rest) % 10;
            (if sum == 0 { 10 } else { sum }) * 2 % 11
        });
        (11 - rest) % 10 == value(digits[10])
    }
}

/// Greek AMKA: a date of birth and Luhn.
pub(crate) fn greek(digits: &[u8]) -> bool {
    digits.len() == 11 && is_day(number(&digits[2..4]), number(&digits[..2])) && luhn(digits)
}

/// Thai identity numbers: weights thirteen down to two, eleven.
pub(crate) fn thai(digits: &[u8]) -> bool {
    digits.len() == 13
        && digits[0] != b'0'
        && (11 - weighted(digits, &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11) % 10
            == value(digits[12])
}

/// South African identity numbers: a date of birth, whether a citizen, Luhn.
pub(crate) fn south_african(digits: &[u8]) -> bool {
    digits.len() == 13
        && is_day(number(&digits[2..4]), number(&digits[4..6]))
        && matches!(digits[10], b'0'..=b'2')
        && luhn(digits)
}

/// Romanian personal numbers: sex and century, a date, weights.
pub(crate) fn romanian(digits: &[u8]) -> bool {
    digits.len() == 13
        && digits[0] != b'0'
        && is_day(number(&digits[3..5]), number(&digits[5..7]))
        && weighted(digits, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11 % 10 == value(digits[12])
}

/// Personal numbers of what was Yugoslavia: a date with three digits of the year, weights.
pub(crate) fn yugoslav(digits: &[u8]) -> bool {
    digits.len() == 13
        && is_day(number(&digits[2..4]), number(&digits[..2]))
        && (11 - weighted(digits, &[7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11 % 10
            == value(digits[12])
}

/// Australian tax file numbers: weights, eleven.
pub(crate) fn australian(digits: &[u8]) -> bool {
    digits.len() == 9 && weighted(digits, &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11)
}

/// Japanese individual numbers: twelve digits, weights from the right, eleven.
pub(crate) fn japanese(digits: &[u8]) -> bool {
    digits.len() == 12 && {
        let rest = weighted(digits, &[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
        value(digits[11]) == if rest <= 1 { 0 } else { 11 - rest }
    }
}

/// Russian insurance numbers (SNILS): weights nine down to one, modulo 101.
pub(crate) fn russian(digits: &[u8]) -> bool {
    digits.len() == 11
        && u64::from(weighted(digits, &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101 % 100)
            == number(&digits[9..])
}

/// Hungarian insurance numbers (TAJ): three and seven in turns, ten.
pub(crate) fn hungarian(digits: &[u8]) -> bool {
    digits.len() == 9 && weighted(digits, &[3, 7, 3, 7, 3, 7, 3, 7]) % 10 == value(digits[8])
}

/// The letter of Singaporean numbers: the first letter says which row.
pub(crate) fn singaporean(code: &[u8]) -> bool {
    let [first, digits @ .., last] = code else { return false };
    if digits.len() != 7 || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let sum = weighted(digits, &[2, 7, 6, 5, 4, 3, 2]);
    let (more, letters): (u32, &[u8; 11]) = match first {
        b'S' => (0, b"JZIHGFEDCBA"),
        b'T' => (4, b"JZIHGFEDCBA"),
        b'F' => (0, b"XWUTRQPNMLK"),
        b'G' => (4, b"XWUTRQPNMLK"),
        b'M' => (3, b"XWUTRQPNJLK"),
        _ => return false,
    };
    usize::try_from((sum + more) % 11).is_ok_and(|at| letters[at] == *last)
}

/// Taiwanese numbers: a letter that is two digits, then nine of which the last checks.
pub(crate) fn taiwanese(code: &[u8]) -> bool {
    let Some((first @ b'A'..=b'Z', digits)) = code.split_first() else { return false };
    if digits.len() != 9
        || !digits.iter().all(u8::is_ascii_digit)
        || !matches!(digits[0], b'1' | b'2' | b'8' | b'9')
    {
        return false;
    }
    let place = b"ABCDEFGHJKLMNPQRSTUVXYWZIO".iter().position(|one| one == first);
    let letter = place.and_then(|at| u32::try_from(at + 10).ok()).unwrap_or(0);
    let sum = letter / 10 + letter % 10 * 9 + weighted(digits, &[8, 7, 6, 5, 4, 3, 2, 1, 1]);
    sum.is_multiple_of(10)
}

/// Irish numbers: seven digits, a check letter, and one more since there are not enough.
pub(crate) fn irish(code: &[u8]) -> bool {
    if !matches!(code.len(), 8 | 9) || !code[..7].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let more = match code.get(8) {
        None | Some(b'W') => 0,
        Some(second @ b'A'..=b'I') => u32::from(second - b'A' + 1) * 9,
        Some(_) => return false,
    };
    let rest = (weighted(&code[..7], &[8, 7, 6, 5, 4, 3, 2]) + more) % 23;
    usize::try_from(rest).is_ok_and(|at| b"WABCDEFGHIJKLMNOPQRSTUV"[at] == code[7])
}

/// Mexican CURP, in capitals: seventeen places and a digit.
pub(crate) fn mexican(code: &[u8]) -> bool {
    if code.len() != 18 || !is_day(number(&code[6..8]), number(&code[8..10])) {
        return false;
    }
    let sum: u32 = code[..17]
        .iter()
        .zip((2_u32..=18).rev())
        .map(|(one, weight)| {
            let place = match one {
                b'0'..=b'9' => value(*one),
                // Between N and O the alphabet of the check has an Ñ.
                b'O'..=b'Z' => u32::from(one - b'A') + 11,
                _ => u32::from(one.saturating_sub(b'A')) + 10,
            };
            place * weight
        })
        .sum();
    (10 - sum % 10) % 10 == value(code[17])
}

/// American social security numbers, without those that are never issued.
pub(crate) fn american(digits: &[u8]) -> bool {
    digits.len() == 9
        && !matches!(&digits[..3], b"000" | b"666" | [b'9', ..])
        && &digits[3..5] != b"00"
        && &digits[5..] != b"0000"
}

/// Whether a year has such a month with such a day, February taken at its longest.
pub(crate) fn is_day(month: u64, day: u64) -> bool {
    let longest = match month {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=longest).contains(&day)
}

/// The number that digits are; what is no digit counts nothing.
pub(crate) fn number(digits: &[u8]) -> u64 {
    digits
        .iter()
        .filter(|one| one.is_ascii_digit())
        .fold(0, |so_far: u64, digit| so_far.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
}

fn value(digit: u8) -> u32 {
    u32::from(digit.wrapping_sub(b'0'))
}
