"""Mathematical answers as models write them, in the style of MATH, GSM8K and AIME.

One line a case: + (must pass) or - (must not), gold, response, and the problem where it counts.
"""

from __future__ import annotations

from tests.rewards.tables import is_judged_as_its_line_says
from tests.tables import each

MATHS = r"""
+ 12 ¦ \boxed{12}. So, the answer is 12 apples.
- 12 ¦ \boxed{12}. So, the answer is 13 apples.
- 12 ¦ \boxed{12}. So the answer is 12 thousand.
+ 12 ¦ \boxed{12}. Hence, the correct option is **C**. ¦ How many? (A) 10 (B) 11 (C) 12
+ B ¦ So \boxed{\textbf{(B)}\ 12}
- B ¦ So \boxed{\textbf{(C)}\ 12}
+ C ¦ \boxed{\text{(C) } 12}
+ C ¦ \boxed{C. 12}
+ \text{all } n ¦ \boxed{\text{all }n}
- 12 ¦ \boxed{12}. Scratch that.
- 12 ¦ \boxed{12}. Revised answer: 15
- 12 ¦ \boxed{12}. I take that back.
+ 5,6 ¦ \boxed{5} and \boxed{6}
+ 5,6 ¦ The solutions are $\boxed{5}$ and $\boxed{6}$.
+ 5,6 ¦ $x = \boxed{5}$ or $x = \boxed{6}$
+ 5,6 ¦ $x = \boxed{5}$ and $x = \boxed{6}$.
+ 5,6 ¦ \boxed{5}, \boxed{6}
+ 1,2,3 ¦ $\boxed{1}$, $\boxed{2}$, and $\boxed{3}$
- 5 ¦ \boxed{5} or \boxed{6}
- 5 ¦ \boxed{5} and \boxed{6}
- 6 ¦ \boxed{5} and \boxed{6}
- (5,6) ¦ \boxed{5} and \boxed{6}
+ 5 ¦ \boxed{5} and \boxed{5}
+ 5 ¦ \boxed{5} (mod 7)
+ 5 ¦ \boxed{5 \pmod 7}
+ 5 \pmod 7 ¦ \boxed{5 \pmod{7}}
+ 5 \pmod{7} ¦ \boxed{5 \pmod 7}
+ 5 \pmod{7} ¦ \boxed{5}
+ 5 \pmod{7} ¦ \boxed{x \equiv 5 \pmod{7}}
- 5 \pmod{7} ¦ \boxed{x \equiv 5 \pmod{8}}
- 5 \pmod{7} ¦ \boxed{x \equiv 12 \pmod{7}}
+ 5 ¦ $12 \equiv \boxed{5} \pmod 7$
+ 5 ¦ \boxed{12 \equiv 5 \pmod 7}
- 5 ¦ \boxed{12 \equiv 5 \pmod 8}
- 5 ¦ \boxed{12 \pmod 7}
- 5 ¦ \boxed{12}
- 5 \pmod{7} ¦ \boxed{12}
- 1 year ¦ \boxed{365 days}
+ \frac{1}{2} ¦ \boxed{\frac{1}{2}}. This may be simplified from 2/4.
+ 5 ¦ \boxed{5}. This may be simplified.
+ 5 ¦ \boxed{5}. Here we used the formula instead of counting.
+ 5 ¦ \boxed{5} instead of counting all cases.
+ 5 ¦ \boxed{5}⏎⏎Note that the sum is used rather than the product.
- 5 ¦ \boxed{5}. Instead it is 6.
- 5 ¦ \boxed{5} instead of \boxed{6}?
+ \left( 3, \frac{\pi}{2} \right) ¦ $\boxed{(r,\theta)=\left(3,\dfrac{\pi}{2}\right)}$
- \left( 3, \frac{\pi}{2} \right) ¦ $\boxed{(3, 90)}$
+ p - q ¦ $$\boxed{p-q}$$
- p - q ¦ $$\boxed{q-p}$$
+ \frac{14}{3} ¦ Thus $f(-2)+f(-1)+f(0)=\boxed{\dfrac{14}{3}}$.
+ \frac{14}{3} ¦ Thus it is $\boxed{4\frac{2}{3}}$.
- \frac{14}{3} ¦ Thus it is $\boxed{4.67}$.
+ \frac{14}{3} ¦ Thus it is $\boxed{\frac{14}{3} \approx 4.67}$.
+ \frac{14}{3} ¦ Thus it is $\boxed{\frac{14}{3}} \approx 4.67$.
- \frac{14}{3} ¦ Thus it is $\boxed{\frac{14}{3} \approx 5.67}$.
+ \text{Evelyn} ¦ The student with the greatest average speed is \boxed{\text{Evelyn}}.
+ \text{Evelyn} ¦ \boxed{\textbf{Evelyn}}
- \text{Evelyn} ¦ \boxed{\text{Evelyn or Carla}}
+ \text{even} ¦ The function is $\boxed{\text{even}}$.
- \text{even} ¦ The function is $\boxed{\text{neither even nor odd}}$.
+ \text{odd} ¦ \boxed{odd}
+ 42 ¦ **Answer:** $\boxed{42}$ feet
+ 42 ¦ \boxed{42\text{ feet}} ¦ How many feet is it?
+ 27 ¦ $\boxed{x=27}$
+ 90^\circ ¦ \boxed{90}
+ 90^\circ ¦ \boxed{90^{\circ}}
+ 90^\circ ¦ \boxed{90 \text{ degrees}}
+ 90^\circ ¦ \boxed{90°}
+ 3\sqrt{13} ¦ \boxed{3\sqrt{13}}
+ 3\sqrt{13} ¦ \boxed{\sqrt{117}}
- 3\sqrt{13} ¦ \boxed{13\sqrt{3}}
+ 3\sqrt{13} ¦ $\boxed{3\sqrt{13}} \approx 10.82$
+ 11\sqrt2 ¦ The distance is $\boxed{11\sqrt{2}\text{ units}}$.
+ \frac{3}{56} ¦ \boxed{\tfrac{3}{56}}
+ \frac{3}{56} ¦ \boxed{3/56}
+ \frac 59 ¦ \boxed{\frac{5}{9}}
- \frac 59 ¦ \boxed{\frac{9}{5}}
+ 1,-2 ¦ \boxed{-2, 1}
+ 1,-2 ¦ \boxed{x = 1 \text{ and } x = -2}
+ 1,-2 ¦ \boxed{x \in \{-2, 1\}}
- 1,-2 ¦ \boxed{1}
- 1,-2 ¦ \boxed{(1,-2)}
+ -2,1 ¦ The values are $\boxed{-2}$ and $\boxed{1}$.
+ x^3+3x-6 ¦ \boxed{x^3 + 3x - 6}
+ x^3+3x-6 ¦ \boxed{p(x) = x^3 + 3x - 6}
- x^3+3x-6 ¦ \boxed{x^3 + 3x - 6 = 0}
+ 6 - 5i ¦ \boxed{6-5i}
+ 6 - 5i ¦ \boxed{-5i+6}
- 6 - 5i ¦ \boxed{6+5i}
+ (6,31,-1) ¦ \boxed{(6, 31, -1)}
+ (6,31,-1) ¦ $(a,b,c) = \boxed{(6,31,-1)}$
- (6,31,-1) ¦ \boxed{6, 31, -1}
+ \begin{pmatrix} 1/5 \\ -18/5 \end{pmatrix} ¦ \boxed{\begin{bmatrix} 0.2 \\ -3.6 \end{bmatrix}}
- \begin{pmatrix} 1/5 \\ -18/5 \end{pmatrix} ¦ \boxed{\begin{pmatrix} -18/5 \\ 1/5 \end{pmatrix}}
+ [-2,7] ¦ \boxed{-2 \leq x \leq 7}
+ x \in [-2,7] ¦ \boxed{[-2, 7]}
- x \in [-2,7] ¦ \boxed{(-2, 7)}
+ (-\infty, 2) \cup (3, \infty) ¦ \boxed{x \in (-\infty, 2) \cup (3, +\infty)}
+ (3/2,\infty) ¦ \boxed{x > \frac{3}{2}}
+ (2,\infty) \cup \{0\} ¦ \boxed{\{0\} \cup (2, \infty)}
+ \frac{270}{7}\text{ degrees} ¦ \boxed{\frac{270}{7}^\circ}
+ \frac{270}{7}\text{ degrees} ¦ \boxed{\frac{270}{7}}
+ 5.4 \text{ cents} ¦ \boxed{5.4}
+ 5.4 \text{ cents} ¦ \boxed{5.4¢}
+ 15\mbox{ cm}^2 ¦ \boxed{15 \text{ cm}^2}
+ 15\mbox{ cm}^2 ¦ \boxed{15\,\text{cm}^2}
+ 15\mbox{ cm}^2 ¦ \boxed{15} square centimeters
- 15\mbox{ cm}^2 ¦ \boxed{15 \text{ cm}}
+ 10080 ¦ \boxed{10{,}080}
+ 10,\!080 ¦ \boxed{10080}
+ 10,\!080 ¦ \boxed{10,080}
+ 11111111100 ¦ \boxed{11,111,111,100}
+ \$18.90 ¦ \boxed{18.90}
+ \$18.90 ¦ \boxed{\$18.9}
- \$18.90 ¦ \boxed{1890}
+ 58,500 ¦ \boxed{58500}
+ 2220_5 ¦ \boxed{2220_5}
+ 2220_5 ¦ \boxed{2220} ¦ What is it in base 5?
+ 2220_5 ¦ \boxed{2220_{\text{five}}}
+ 2220_5 ¦ \boxed{(2220)_5}
- 4210_{5} ¦ \boxed{4210}
+ 6+9i ¦ The result is $6+9i$, so \boxed{6+9i}.
+ y = 2x + 3 ¦ \boxed{y=2x+3}
+ y = 2x + 3 ¦ \boxed{2x - y + 3 = 0}
- y = 2x + 3 ¦ \boxed{y = 3x + 2}
+ (x-2)^2 + (y+3)^2 = 25 ¦ \boxed{(x - 2)^2 + (y + 3)^2 = 5^2}
+ (a+5)(b+2) ¦ \boxed{(b+2)(a+5)}
- (a+5)(b+2) ¦ \boxed{ab+2a+5b+10} ¦ Factor $ab+2a+5b+10$.
+ \frac{1}{2} ¦ The probability is $\boxed{\frac{1}{2}}$ or $50\%$.
+ \frac{1}{2} ¦ \boxed{\frac{1}{2} = 0.5}
+ \frac{1}{2} ¦ \boxed{0.5}
+ \frac{1}{2} ¦ \boxed{\frac{1}{2}} (or 50%)
- \frac{1}{2} ¦ \boxed{\frac{1}{2}} (or 25%)
+ 50\% ¦ \boxed{50\%}
+ 50 ¦ \boxed{50\%} ¦ What percent is it?
+ 50\% ¦ \boxed{50} ¦ What percentage is it?
- \pi ¦ \boxed{3.14}
+ 16\pi ¦ \boxed{16\pi \text{ square units}}
+ 2\pi r ¦ \boxed{C = 2\pi r}
+ n \equiv 1 \pmod{4} ¦ \boxed{n \equiv 1 \pmod 4}
- n \equiv 1 \pmod{4} ¦ \boxed{n \equiv 3 \pmod 4}
+ \text{(C)} ¦ \boxed{\textbf{(C)}}
+ \text{(C)} ¦ \boxed{C}
- \text{(C)} ¦ \boxed{\text{(D)}}
+ k = 5 ¦ \boxed{5}
- 0 ¦ \boxed{\emptyset}
+ \text{Monday} ¦ The day is \boxed{Monday}
+ 4:30 ¦ \boxed{4:30}
+ \sin^2 x ¦ \boxed{1 - \cos^2 x}
+ \frac{\sqrt{2}}{2} ¦ \boxed{\frac{1}{\sqrt{2}}}
+ \frac{x+2}{7} ¦ \boxed{f^{-1}(x)=\frac{x+2}{7}}
+ \frac{x+2}{7} ¦ \boxed{\frac{1}{7}x + \frac{2}{7}}
+ 2 + \sqrt{3}, 2 - \sqrt{3} ¦ \boxed{2 \pm \sqrt{3}}
+ e^{2\pi i/3} ¦ \boxed{-\frac12 + \frac{\sqrt3}{2} i}
+ \{1, 2, 3\} ¦ \boxed{\{3,2,1\}}
+ 1,2,3 ¦ \boxed{1, 2, \text{ and } 3}
+ 1,2,3 ¦ \boxed{1}, \boxed{2}, and \boxed{3}.
- 1,2,3 ¦ \boxed{1}, \boxed{2}
- 1,2 ¦ $x = \boxed{1}$, $y = \boxed{2}$
+ 204 ¦ Therefore, the walk takes **204** minutes.⏎⏎$\boxed{204}$
+ 073 ¦ \boxed{73}
+ 73 ¦ \boxed{073}
+ 25 ¦ $m+n = 9+16 = \boxed{25}$.
+ 25 ¦ m + n = 9 + 16 = 25⏎⏎**25**
+ 25 ¦ Thus $\frac{m}{n}=\frac{9}{16}$ and $m+n=25$. The answer is $\boxed{25}$.
- 25 ¦ $\boxed{\frac{9}{16}}$
+ 25 ¦ The probability is $\boxed{\frac{9}{16}}$... wait, we need $m+n$, so $\boxed{25}$.
- 25 ¦ The answer could be 25 or 26.
+ 540 ¦ Final answer: 540.
+ 540 ¦ ### Final Answer⏎$$\boxed{540}$$
- 540 ¦ ### Final Answer⏎$$\boxed{54}0$$
+ 809 ¦ \(\boxed{809}\)
+ 809 ¦ \boxed{809}⏎⏎**Verification:** The value is correct since 657 + 64 + 88 = 809.
+ 809 ¦ \boxed{809}⏎⏎This matches the expected answer.
+ 18 ¦ She makes 9 * 2 = $18 every day.⏎#### 18 ¦ How many eggs?
+ 18 ¦ #### 1. Multiply⏎9 * 2 = 18⏎#### 2) Say it⏎The answer is 18. ¦ How many eggs?
- 18 ¦ #### 18⏎#### 19 ¦ How many eggs?
+ 18 ¦ She makes \boxed{\$18} every day. ¦ How much in dollars does she make?
+ 18 ¦ The answer is $18.00. ¦ How much in dollars does she make?
+ 70000 ¦ The answer is $70,000. ¦ How much profit did he make?
+ 70000 ¦ \boxed{70,000 \text{ dollars}} ¦ How much profit did he make?
+ 540 ¦ The answer is 540 meters. ¦ How many total meters does he run a week?
- 540 ¦ The answer is 540 miles. ¦ How many total meters does he run a week?
+ 540 ¦ James runs a total of \boxed{540} meters a week. ¦ How many total meters does he run a week?
+ 20 ¦ The answer is 20 cups. ¦ How many cups of feed does she need?
+ 45 ¦ The answer is 45 minutes. He has to wait 45 minutes. ¦ How many minutes does he have to wait?
+ 160 ¦ \boxed{160 \text{ minutes}} ¦ How many minutes does it take?
- 2 ¦ \boxed{2 \text{ minutes}} ¦ How many hours does it take?
+ 204 ¦ \boxed{m+n=204} ¦ The probability is $m/n$ in lowest terms. Find $m + n$.
+ 204 ¦ So $m + n = \boxed{204}$. ¦ Find $m+n$.
- 204 ¦ \boxed{m+n=203} ¦ Find $m + n$.
- 204 ¦ \boxed{m+k=204} ¦ Find $m + n$.
- 204 ¦ \boxed{m-n=204} ¦ Find $m + n$.
- 204 ¦ \boxed{m+n=204} ¦ Find $m$.
+ 60 ¦ The answer is 60%. ¦ What percentage?
+ -7.36 ¦ The answer is -7.36%. ¦ What percentage?
- 7.36 ¦ The answer is -7.36%. ¦ What percentage?
+ 16 ¦ He is \boxed{16} years old. ¦ How old is he?
+ 16 ¦ The answer is 16 years old. ¦ How old is he?
+ 16 ¦ \boxed{16\text{ years old}} ¦ How old is he, in years?
+ 2.50 ¦ \boxed{\$2.50} ¦ How much is each?
- 5 ¦ The answer is 5 or so. ¦ How many?
- 5 ¦ The answer is about 5. ¦ How many?
+ 12 ¦ The answer is a dozen, i.e. \boxed{12}. ¦ How many?
+ 5 ¦ The answer is 5.⏎⏎I can show more instead of just the answer. ¦ How many?
- 5 ¦ I don't think it's 5. ¦ How many?
+ -5 ¦ \boxed{-5} ¦ How many?
- 5 ¦ \boxed{-5} ¦ How many?
+ 1000 ¦ \boxed{1.000 \times 10^3} ¦ How many?
- 1000 ¦ \boxed{1.000} ¦ How many?
- 1.5 ¦ \boxed{1,5} ¦ How many?
- 5 ¦ \boxed{5.4 \approx 6}
- 6 ¦ \boxed{5 \approx 6}
- 5 ¦ \boxed{5 \approx x}
- 5 ¦ \boxed{6 = 7 \approx 5}
- 5.0 ¦ \boxed{4.9 \approx 5.0 \approx 5.1}
- 391 ¦ \boxed{17*23 \approx 400} ¦ What is $17 * 23$?
- 391 ¦ \boxed{17*23 \approx 391.9} ¦ What is $17 * 23$?
- 391 ¦ \boxed{17 * 23 \approx 390.9} ¦ What is $17 * 23$?
- 5 ¦ \boxed{12 \bmod 7} ¦ What is 12 mod 7?
- 5 ¦ 12 mod 7 ¦ What is 12 mod 7?
+ 5 ¦ \boxed{12 \bmod 7 = 5} ¦ What is 12 mod 7?
- 4 \pmod 7 ¦ \boxed{3^{100} \pmod 7} ¦ Find $3^{100}$ mod 7.
+ 4 ¦ \boxed{3^{100} \equiv 4 \pmod 7} ¦ Find $3^{100}$ mod 7.
- 4 ¦ \boxed{3^{100} \equiv 3^{100} \pmod 7} ¦ Find $3^{100}$ mod 7.
+ 4 \pmod 7 ¦ \boxed{-3 \pmod 7}
- 4 ¦ \boxed{-3 \pmod 7}
- 4 ¦ \boxed{11 \pmod 7}
- x=4 ¦ \boxed{y \equiv 4 \pmod 7}
+ 1, 6 \pmod 7 ¦ \boxed{x \equiv 6, 1 \pmod 7}
+ 1, 6 \pmod 7 ¦ \boxed{x \equiv \pm 1 \pmod 7}
- 1, 6 \pmod 7 ¦ \boxed{x \equiv 1 \pmod 7}
- (1,2) ¦ \boxed{1}, \boxed{2}
+ \{1,2\} ¦ \boxed{1} and \boxed{2}
- \{1,2\} ¦ \boxed{1}, \boxed{2}, or \boxed{3}
- \{1,2\} ¦ \boxed{1} not \boxed{2}
- \{1,2\} ¦ \boxed{1} or maybe \boxed{2}
- \{1,2\} ¦ $a = \boxed{1}$ and $b = \boxed{2}$
- 1,2 ¦ -\boxed{1} and \boxed{2}
- 1,2 ¦ \boxed{1} and -\boxed{2}
- 1,2 ¦ \boxed{1} and \boxed{2}3
- 1,2 ¦ not \boxed{1} and \boxed{2}
- 1,2 ¦ either \boxed{1} or \boxed{2}, I am not sure
- 1,2 ¦ \boxed{1} and \boxed{2} is wrong
- 2 ¦ \boxed{1}, \boxed{2}
- 5 ¦ \boxed{6} instead of \boxed{5}
- 5 ¦ The answer is \boxed{6} rather than \boxed{5}
- 5 ¦ \boxed{5}. It is 6 instead of 5.
- 5 ¦ \boxed{5}. It should be 6 rather than using 5.
- 5 ¦ \boxed{5}. It may be 6.
- 5 ¦ \boxed{5}. The answer might be wrong.
- 5 ¦ \boxed{5}. Wait, 6.
- 5 ¦ \boxed{5}. I made a mistake.
+ 5 ¦ \boxed{5}. A common mistake is to forget the sign.
+ 5 ¦ \boxed{5}. So he must wait 5 hours.
+ 5 ¦ \boxed{5}. This might be useful later.
+ 5 ¦ The answer is 5. This could also be written as $\frac{10}{2}$.
+ 5 ¦ \boxed{5}. Note that it would be wrong to add the two numbers.
- 5 ¦ \boxed{5 \text{ or } 6}
- 5 ¦ \boxed{5 / 6}
- 5 ¦ \boxed{5, 6}
- 5 ¦ \boxed{\{5\}}
- 5 ¦ \boxed{x \ge 5}
- 5 ¦ \boxed{5 \text{ times}}
+ 5 ¦ \boxed{5 \text{ times}} ¦ How many times does it ring?
- 5 ¦ \boxed{5 \text{ dozen}} ¦ How many socks in pairs?
- 5 ¦ \boxed{5 \text{ pairs}} ¦ How many socks? He has pairs.
+ 5 ¦ \boxed{5 \text{ pairs}} ¦ How many pairs of socks?
+ 5 ¦ \boxed{5 \text{ more hours}} ¦ How many more hours? It takes 3 days.
- 5 ¦ \boxed{5 \text{ more days}} ¦ How many more hours? It takes 3 days.
- 5 ¦ \boxed{5 \text{ days}} ¦ How many hours? It takes 3 days.
- 5 ¦ \boxed{5 \text{ more}} ¦ How many apples and pears?
- 5 ¦ \boxed{5 \text{ months}} ¦ How old is he?
+ 5 ¦ \boxed{5 \text{ years}} ¦ How old is he?
- 5 ¦ \boxed{5 \text{ times } 2} ¦ How many?
- \frac{1}{3} ¦ \boxed{\frac{1}{3} \approx 0.5}
+ \frac{1}{3} ¦ \boxed{\frac{1}{3} \approx 0.333}
+ 0.33 ¦ \boxed{\frac{1}{3} \approx 0.33}
- \frac{1}{3} ¦ \boxed{0.333}
- \frac{1}{3} ¦ \boxed{\approx 0.333}
- \frac{1}{3} ¦ \boxed{x \approx 0.333}
- 2 ¦ \boxed{1.5 \approx 2.4}
+ \sqrt{2} ¦ \boxed{\sqrt{2} \approx 1.41}
+ \sqrt{2} ¦ \boxed{x = \sqrt{2} \approx 1.414}
- \sqrt{2} ¦ \boxed{x = \sqrt{3} \approx 1.414}
+ x = \sqrt{2} ¦ \boxed{x = \sqrt{2} \approx 1.414}
- x = \sqrt{2} ¦ \boxed{y = \sqrt{2} \approx 1.414}
+ (1, 2) ¦ \boxed{(1,2)} so x = 1 and y = 2.
- 7 ¦ \boxed{7}, since the alternatives are \boxed{8}
- 7 ¦ $\boxed{7}$ and $\boxed{7.5}$
- 7 ¦ The answer is \boxed{\text{seven or eight}}
- 7 ¦ 7 8 9
- 7 ¦ \boxed{7\;8}
- 70 ¦ \boxed{7\ 0}
- 7 ¦ \boxed{7^{1}2}
- 7 ¦ \boxed{7\hspace{1cm}8}
- 7 ¦ \boxed{\phantom{7}}
- 7 ¦ \boxed{\cancel{7}}
- 7 ¦ \boxed{\text{not }7}
- 7 ¦ \boxed{\text{approximately }7}
- 7 ¦ \boxed{7?}
- 7 ¦ \boxed{7_{8}}
- 7 ¦ \boxed{(7)_8}
- 15 ¦ \boxed{(17)_8}
+ 17_8 ¦ \boxed{(17)_8}
+ 17_8 ¦ \boxed{17_{\text{eight}}}
- 17_8 ¦ \boxed{17_{\text{nine}}}
- 0 ¦ \boxed{0 \pmod 0}
+ 0 ¦ \boxed{0 \pmod 5}
- 2 ¦ \boxed{2 \pmod{5}, 3 \pmod{5}}
- 5.4 \text{ cents} ¦ \boxed{\$5.4}
- \$5 ¦ \boxed{5¢}
+ \$5 ¦ \boxed{500¢}
- \begin{pmatrix}1 & 2\end{pmatrix} ¦ \boxed{(\begin{array}{cc}1&2\\3&4\end{array})}
+ \begin{pmatrix}1 \\ 2\end{pmatrix} ¦ \boxed{\left[\begin{array}{c}1\\2\end{array}\right]}
- \begin{pmatrix}1 \\ 2\end{pmatrix} ¦ \boxed{2\left[\begin{array}{c}1\\2\end{array}\right]}
- 3 ¦ \boxed{2 < x \approx 3}
- 5 ¦ \boxed{12 > 5 \pmod 7}
+ 5 ¦ Answer: \( \boxed{5} \)⏎⏎Let me know if anything is unclear.
+ 5 ¦ $\boxed{5}$ is the final answer, which might seem surprising.
+ 5 ¦ So $x=5$. We check: $5 + 3 = 8$. ✓⏎⏎$\boxed{5}$
+ 5 ¦ $\boxed{5}$ ✓
+ 5 ¦ \boxed{5} ∎
+ 5 ¦ $\boxed{5}$. $\blacksquare$
+ 5 ¦ Hence $x=\boxed{5}$ (the other root, $-3$, is negative).
+ 5 ¦ Since the other root is extraneous, $x = \boxed{5}$.
+ 5 ¦ \boxed{5}⏎⏎(Note: $-5$ is rejected since lengths are positive.)
+ \frac{3}{4} ¦ $\frac{6}{8} = \boxed{\frac{3}{4}}$
+ \frac{3}{4} ¦ \boxed{\frac{6}{8}} = \boxed{\frac{3}{4}}
+ \frac{3}{4} ¦ \boxed{\dfrac{3}{4}\text{ or }0.75}
+ \frac{3}{4} ¦ \boxed{75\%}
+ 3, 4 ¦ The two numbers are $\boxed{3}$ and $\boxed{4}$, and their sum is 7.
+ 3, 4 ¦ $\boxed{3 \text{ and } 4}$
+ (3, 4) ¦ $(x, y) = \boxed{(3, 4)}$
+ (3, 4) ¦ \boxed{\text{(3, 4)}}
- 12 ¦ \boxed{12\text{ ways}}
+ 12 ¦ \boxed{12\text{ ways}} ¦ In how many ways can it be done?
+ 12 ¦ \boxed{12\text{ km}} ¦ How far is it in km?
+ 12 ¦ \boxed{12\text{ square units}} ¦ What is the area?
+ 12 ¦ \boxed{12\ \text{units}^2} ¦ What is the area?
+ 12 ¦ \boxed{12 \text{ sq. units}} ¦ What is the area?
+ 3:2 ¦ \boxed{3 : 2}
- 3:2 ¦ \boxed{2:3}
+ 3:2 ¦ \boxed{3 \text{ to } 2}
+ \text{all real numbers} ¦ \boxed{\mathbb{R}}
+ (-\infty, \infty) ¦ \boxed{\mathbb{R}}
+ (-\infty, \infty) ¦ \boxed{\text{all real numbers}}
+ \emptyset ¦ \boxed{\varnothing}
+ \text{no solution} ¦ \boxed{\text{No solutions}}
+ 1+\sqrt{2} ¦ \boxed{\sqrt{2} + 1 \approx 2.414}
+ 2^{10} ¦ \boxed{1024}
+ 10! ¦ \boxed{3628800}
+ \log_2 3 ¦ \boxed{\frac{\ln 3}{\ln 2}}
+ -\frac{1}{2} ¦ \boxed{\frac{-1}{2}}
+ -\frac{1}{2} ¦ \boxed{\frac{1}{-2}}
+ 5 ¦ \boxed{5 \text{ or } \frac{10}{2}}
- 5 ¦ \boxed{5, 5}
- 5 ¦ \boxed{5 \text{ and } 5}
- 5 ¦ \boxed{5 \text{ to } 6}
- 5 ¦ 5 to 1
+ 5:1 ¦ \boxed{5 \text{ to } 1}
- 1/5 ¦ \boxed{1 \text{ to } 5}
- (0, \infty) ¦ \boxed{\text{all real numbers}}
- \text{no solution} ¦ \boxed{\text{all real numbers}}
- \text{no solution} ¦ \boxed{\text{one solution}}
"""
PROSE = r"""
+ 72 ¦ 最终答案：\boxed{72}
+ 72 ¦ 答案：$\boxed{72}$。
+ 72 ¦ 因此，共有 \boxed{72} 个夹子。
+ 72 ¦ 答案是 72
+ 72 ¦ 答案：72
+ 72 ¦ 所以答案为72。
+ 72 ¦ 我们把两个月的数量相加。⏎所以，答案是72。
+ 72 ¦ 因为 48 不是奇数，所以答案是 \boxed{72}。
+ 72 ¦ **答案：72**
+ 72 ¦ **答案**：72个夹子
+ 72 ¦ 故答案为：$72$。
+ \frac{1}{2} ¦ 因此概率为 $\boxed{\frac{1}{2}}$。
+ 72 ¦ 综上所述，最终答案是 $\boxed{72}$ 。
+ 72 ¦ 答案是72。这是两个月的总和。
- 72 ¦ 答案不是 \boxed{72}
- 72 ¦ 72 或 73
- 72 ¦ 答案是 72 或 73
- 72 ¦ 答案可能是 \boxed{72}
- 72 ¦ 也许是 \boxed{72}
- 72 ¦ \boxed{72} 或 \boxed{73}
- 72 ¦ 答案是 \boxed{72} 或 73。
- 72 ¦ 答案：\boxed{72}。不对，应该是 73。
- 72 ¦ 答案：\boxed{72}。正确答案是 73。
- 72 ¦ 答案是72。不对，答案是73。
- 72 ¦ 答案是72。等等，应该是73。
- 72 ¦ 答案是不是 72？
- 72 ¦ 答案是 72？
- 72 ¦ 答案小于 \boxed{72}
- 72 ¦ 答案是 \boxed{72} 万
- 72 ¦ 答案是72万
- 72 ¦ 答案是73
- 72 ¦ 答案是 负 \boxed{72}
- 72 ¦ 答案：71⏎答案：72
- 72 ¦ 不可能是 \boxed{72}
- 72 ¦ 答案是 \boxed{72} 的一半
- 72 ¦ 答案是 \boxed{72} 倍
- 72 ¦ 答案：73。72。
+ 72 ¦ So the total is 72.
+ 72 ¦ Total: 72
+ 72 ¦ Result: 72
+ 72 ¦ **Total:** 72
+ 72 ¦ She sold 48 clips, then half as many.⏎⏎So the total is $72$.
+ 1/9 ¦ The probability is 1/9.
+ 1/9 ¦ There are 36 outcomes, 4 of them good. Therefore, the probability is $\frac{1}{9}$.
+ -\tan x ¦ The derivative is $-\tan x$.
- -\tan x ¦ The derivative is $\tan x$.
+ 72 ¦ She sold 72 clips. ¦ How many clips did she sell?
+ 72 ¦ Natalia sold 72 clips altogether. ¦ How many clips did Natalia sell?
- 72 ¦ She sold 72 boxes. ¦ How many clips did she sell?
- 72 ¦ She sold 73 clips. ¦ How many clips did she sell?
+ 72 ¦ Therefore, Natalia sold a total of 72 clips. ¦ How many clips did Natalia sell?
- 72 ¦ Therefore, Natalia sold 72 clips and 3 pins. ¦ How many clips did Natalia sell?
- 72 ¦ The number is 72 in base eight.
+ 72 ¦ 72。
+ 72 ¦ The answer is：72。
+ 72 ¦ ### 最终答案⏎72
- 72 ¦ 答案是 72 吗？
- 72 ¦ 我不知道答案是 \boxed{72} 还是 73
- 72 ¦ 答案是72、73
- 72 ¦ 答案是72。⏎73
+ 12:00 ¦ It arrives at 12:00.
+ 2.50 ¦ Each one costs $2.50.
+ 3 ¦ So the total number of bolts is **3**.
+ 3 ¦ The value of $x$ is 3.
+ 12 ¦ The least common multiple is 12.
+ 809 ¦ \boxed{809} Checking again gives 809.
- 809 ¦ \boxed{809}⏎Hmm, but checking again gives 810.
- 809 ¦ \boxed{809}. Recounting, I get 810.
- 72 ¦ \boxed{72}⏎Hmm. Verifying gives 73.
- 72 ¦ \boxed{72}. Oh, the total is 73.
- 72 ¦ \boxed{72}. So the total is 73.
+ 72 ¦ \boxed{72}. So the total is 72.
- 72 ¦ \boxed{72}. Rechecking: 73.
- 72 ¦ \boxed{72}. On reflection I get 73.
+ 5 ¦ \boxed{5}. Double-checking gives $2 \cdot 5 + 3 = 13$, as given.
+ 5 ¦ \boxed{5}. Let me verify: 5 + 3 = 8.
- 72 ¦ 她没有卖出 \boxed{72} 个
+ 72 ¦ 不同的排法共有 \boxed{72} 种。
+ 72 ¦ 她一共卖了 $\boxed{72}$ 个夹子，不是 73 个。
- 72 ¦ \boxed{72}。应该为 73。
- 72 ¦ \boxed{72}。再算一遍得到 73。
- 72 ¦ 三乘以 \boxed{72}
+ 72 ¦ 最后，答案是 $72$ 个。
- 809 ¦ The answer is 809. Hmm, but adding again yields 810.
- 809 ¦ The total is 809. Hmm, but checking again gives 810.
- 72 ¦ The total is 71. The total is 72.
- 72 ¦ The total is 71.⏎The correct total is 72.
- 72 ¦ The total is 72 or 73.
- 72 ¦ The total is 72, 73.
- 72 ¦ The total is not 72.
- 72 ¦ The total is perhaps 72.
- 72 ¦ The total is less than 72.
- 72 ¦ The total is at most 72.
- 72 ¦ The total isn't 72.
- 72 ¦ The total would be 72.
- 72 ¦ The total is 72?
- 72 ¦ The total of 72 is 73.
- 72 ¦ The first total is 72.
- 72 ¦ The subtotal is 72.
- 72 ¦ The sum of 70 and 2 is 72 and the sum of 1 and 2 is 3.
- 72 ¦ Is the total 72?
- 72 ¦ If the total is 72.
- 72 ¦ Total: 72 or 73
- 72 ¦ Total: 71⏎Total: 72
- 72 ¦ Check: 72
- 72 ¦ Step: 72
- 72 ¦ Alice: 3⏎Bob: 72
- 72 ¦ The total is twice 72.
- 72 ¦ The total is 72 thousand.
- 72 ¦ The total is 72 more.
- 72 ¦ Someone claims the total is 72.
- 72 ¦ The smallest number is 72.
- 72 ¦ The total is 72. Wait, it is 73.
- 72 ¦ It is 73.⏎It is 72.
- 72 ¦ 71⏎The total is 72.
- 72 ¦ The total is 72. But 73 is right.
"""
CASES = [("maths", line) for line in (MATHS + PROSE).strip().splitlines() if line]


@each(("verifier", "line"), CASES)
def test_what_a_response_says_decides(verifier, line):
    assert is_judged_as_its_line_says(verifier, line)
